/* screening.c - see screening.h: from planes to blocks of rows between their thresholds. */
#include "pick/screening.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "svm/screen.h"

/* A node being screened. */
typedef struct job {
  const svf_ground *ground;
  const svf_site *site;
  const svf_planes *planes;
  svf_screen screen;
  uint32_t *row; /* the node's rows without repeats */
  size_t n;
  size_t *group, groups; /* group[g]..group[g+1]-1: planes along one direction */
  double whole;          /* mean error of the node undivided */
  svf_worth *worth;
} job;

/* Rows without repeats: how often each stands there becomes its weight. */
static bool gather_rows(job *s) {
  const svf_frame *frame = s->ground->frame;
  const svf_site *site = s->site;
  svf_arena *arena = &s->ground->worker->arena;
  s->row = SVF_TAKE(arena, uint32_t, site->n);
  double *weight = SVF_TAKE(arena, double, site->n);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < site->n; i++) {
    uint32_t row = site->rows[i];
    if (!s->n || s->row[s->n - 1] != row) weight[s->n] = 0, s->row[s->n++] = row;
    weight[s->n - 1] += frame->weight ? frame->weight[row] : 1;
  }
  s->screen.rows.weight = weight;
  return true;
}

/* One list of rows as the screening wants it; weights apart. */
static bool gather_set(const svf_ground *ground, const uint32_t *rows, size_t n, svf_screen_set *set) {
  const svf_frame *frame = ground->frame;
  svf_arena *arena = &ground->worker->arena;
  int32_t *label = frame->label ? SVF_TAKE(arena, int32_t, n) : NULL;
  double *value = frame->label ? NULL : SVF_TAKE(arena, double, n);
  if (svf_arena_failed(arena)) return false;
  for (size_t i = 0; i < n; i++) {
    if (label) label[i] = frame->label[rows[i]];
    else value[i] = frame->value[rows[i]];
  }
  set->points = (svf_points){.n = n,
                             .d = frame->d,
                             .bias = ground->settings->bias == SVF_BIAS_YES,
                             .x = frame->x,
                             .stride = frame->stride,
                             .list = rows,
                             .fill = frame->missing ? frame->fill : NULL};
  set->label = label;
  set->value = value;
  return true;
}

/* The class weights that machines of the node have, where they see to them themselves. */
static bool weigh_classes(const job *s, double *weight) {
  const svf_frame *frame = s->ground->frame;
  const svf_settings *settings = s->ground->settings;
  bool balanced = settings->class_weight == SVF_CLASS_WEIGHT_BALANCED;
  if (!frame->label || settings->class_weight == SVF_CLASS_WEIGHT_NONE) return true;
  double *rows = SVF_ZERO(&s->ground->worker->arena, double, frame->k), classes = 0, all = 0; /* by weight */
  if (!rows) return false;
  for (size_t i = 0; i < s->site->n; i++) {
    uint32_t row = s->site->rows[i];
    double own = frame->weight ? frame->weight[row] : 1;
    rows[frame->label[row]] += own, all += own;
  }
  for (size_t c = 0; c < frame->k; c++) classes += rows[c] > 0;
  for (size_t i = 0; i < s->n; i++) {
    int32_t c = frame->label[s->row[i]];
    weight[i] *= balanced ? all / (classes * rows[c]) : frame->class_weight ? frame->class_weight[c] : 1;
  }
  return true;
}

static bool open_screen(job *s, bool class_costs) {
  const svf_frame *frame = s->ground->frame;
  svf_arena *arena = &s->ground->worker->arena;
  double C = s->ground->settings->C > 0 ? s->ground->settings->C : 1, all = 0;
  double *weight = SVF_TAKE(arena, double, s->site->judge_count);
  s->screen.la = s->ground->la;
  s->screen.stop = s->ground->worker->stop;
  s->screen.k = frame->label ? frame->k : 1;
  s->screen.ridge = 1 / (2 * C);
  s->screen.judges.weight = weight;
  if (!weight || !gather_rows(s) || !gather_set(s->ground, s->row, s->n, &s->screen.rows) ||
      !gather_set(s->ground, s->site->judges, s->site->judge_count, &s->screen.judges))
    return false;
  if (class_costs && !weigh_classes(s, (double *)s->screen.rows.weight)) return false;
  for (size_t i = 0; i < s->site->judge_count; i++) all += weight[i] = svf_judge_weight(frame, s->site->judges[i]);
  if (!svf_screen_open(&s->screen, arena) || !svf_screen_whole(&s->screen, arena, &s->whole)) return false;
  s->whole /= all;
  return true;
}

/* Planes that share their terms stand together. */
static bool find_groups(job *s) {
  const svf_plane *plane = s->planes->item;
  s->group = SVF_TAKE(&s->ground->worker->arena, size_t, s->planes->count + 1);
  if (!s->group) return false;
  for (size_t i = 0; i < s->planes->count; i++)
    if (!i || plane[i].term != plane[i - 1].term || plane[i].missing_left != plane[i - 1].missing_left)
      s->group[s->groups++] = i;
  s->group[s->groups] = s->planes->count;
  return true;
}

static int by_value(const void *a, const void *b) {
  float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* The edges of all bands of a group, ascending, each once. */
static size_t list_edges(const svf_plane *plane, size_t count, float *edge) {
  size_t edges = 0;
  for (size_t i = 0; i < count; i++) {
    edge[2 * i] = plane[i].threshold - plane[i].band;
    edge[2 * i + 1] = plane[i].threshold + plane[i].band;
  }
  qsort(edge, 2 * count, sizeof *edge, by_value);
  for (size_t i = 0; i < 2 * count; i++)
    if (!edges || edge[i] > edge[edges - 1]) edge[edges++] = edge[i];
  return edges;
}

/* The block of a value: how many edges are not above it. */
static uint32_t block_of(const float *edge, size_t edges, float value) {
  uint32_t block = 0;
  for (size_t i = 0; i < edges; i++) block += edge[i] <= value;
  return block;
}

/* The same for rows, edge by edge over some rows at a time: that goes several rows to an instruction. */
static void find_blocks(const svf_frame *frame, const svf_plane *plane, const uint32_t *rows, size_t n,
                        const float *edge, size_t edges, uint32_t *block) {
  enum { SOME = 512 };
  float value[SOME];
  for (size_t first = 0; first < n; first += SOME) {
    size_t some = n - first < SOME ? n - first : SOME;
    uint32_t *to = block + first;
    for (size_t i = 0; i < some; i++) {
      value[i] = svf_plane_value(plane, frame->x + rows[first + i] * frame->stride);
      to[i] = 0;
    }
    for (size_t e = 0; e < edges; e++)
      for (size_t i = 0; i < some; i++) to[i] += edge[e] <= value[i];
  }
}

/* Memory of one group's sweep. */
typedef struct bench {
  float *edge;
  uint32_t *block, *judge_block, *left_end, *right_start;
  double *wrong, *change, *weight; /* weight[b]: of the judges in the blocks before b */
} bench;

static bool open_bench(const job *s, size_t count, svf_arena *arena, bench *b) {
  *b = (bench){SVF_TAKE(arena, float, 2 * count),
               SVF_TAKE(arena, uint32_t, s->n),
               SVF_TAKE(arena, uint32_t, s->site->judge_count),
               SVF_TAKE(arena, uint32_t, count),
               SVF_TAKE(arena, uint32_t, count),
               SVF_TAKE(arena, double, 2 * count),
               SVF_TAKE(arena, double, 2 * count),
               SVF_ZERO(arena, double, 2 * count + 2)};
  return !svf_arena_failed(arena);
}

static void weigh_blocks(const job *s, size_t blocks, const bench *b) {
  for (size_t i = 0; i < s->site->judge_count; i++) b->weight[b->judge_block[i] + 1] += s->screen.judges.weight[i];
  for (size_t e = 0; e < blocks; e++) b->weight[e + 1] += b->weight[e];
}

/* The drops of planes first..first+count-1, which share their direction. */
static bool sweep_group(const job *s, size_t first, size_t count, const bench *b, svf_arena *arena) {
  const svf_frame *frame = s->ground->frame;
  const svf_plane *plane = s->planes->item + first;
  size_t edges = list_edges(plane, count, b->edge), blocks = edges + 1;
  find_blocks(frame, plane, s->row, s->n, b->edge, edges, b->block);
  find_blocks(frame, plane, s->site->judges, s->site->judge_count, b->edge, edges, b->judge_block);
  weigh_blocks(s, blocks, b);
  for (size_t q = 0; q < count; q++) {
    b->left_end[q] = block_of(b->edge, edges, plane[q].threshold + plane[q].band);
    b->right_start[q] = block_of(b->edge, edges, plane[q].threshold - plane[q].band);
  }
  svf_sweep sweep = {blocks, count, b->block, b->judge_block, b->left_end, b->right_start, b->wrong, b->change};
  if (!svf_screen_sweep(&s->screen, &sweep, arena)) return false;
  for (size_t q = 0; q < count; q++) {
    double wrong = b->wrong[2 * q] + b->wrong[2 * q + 1];
    double judges = b->weight[b->left_end[q]] + (b->weight[blocks] - b->weight[b->right_start[q]]);
    double drop = s->whole - wrong / judges, square = (b->change[2 * q] + b->change[2 * q + 1]) / judges;
    double noise = sqrt(square / (double)s->site->judge_count);
    s->worth[first + q] = isfinite(drop) ? (svf_worth){drop, noise} : (svf_worth){-INFINITY, 0};
  }
  return true;
}

/* One group, by whichever thread. */
static bool screen_group(void *context, size_t index, svf_worker *worker) {
  const job *s = context;
  size_t first = s->group[index], count = s->group[index + 1] - first;
  if (atomic_load(worker->stop)) return true; /* the result is not used */
  svf_mark mark = svf_arena_mark(&worker->arena);
  bench b;
  bool fine = open_bench(s, count, &worker->arena, &b) && sweep_group(s, first, count, &b, &worker->arena);
  svf_arena_release(&worker->arena, mark);
  return fine;
}

bool svf_screen_planes(const svf_ground *ground, const svf_site *site, const svf_planes *planes, bool class_costs,
                       svf_worth *worth) {
  svf_mark mark = svf_arena_mark(&ground->worker->arena);
  job s = {.ground = ground, .site = site, .planes = planes, .worth = worth};
  for (size_t i = 0; i < planes->count; i++) worth[i] = (svf_worth){-INFINITY, 0};
  bool fine =
      open_screen(&s, class_costs) && find_groups(&s) && svf_site_share(ground, site, s.groups, screen_group, &s);
  svf_arena_release(&ground->worker->arena, mark);
  return fine;
}
