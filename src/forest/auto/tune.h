/* tune.h - the search for settings: which candidates there are (tune_space.c), how one is judged (tune_course.c),
 * what a run of one brings (tune_try.c), which are tried (tune_search.c). */
#ifndef SVF_FOREST_TUNE_H
#define SVF_FOREST_TUNE_H

#include "base/arena.h"
#include "base/random.h"
#include "forest/forest.h"

/* One setting and the values it takes in turn, as canonical text. */
typedef struct svf_knob {
  int setting;
  const char **value;
  size_t count;
} svf_knob;

/* All combinations of the knobs' values. Where no knobs were asked for, combination 0 is the method itself. */
typedef struct svf_space {
  svf_settings base;
  svf_knob *knob;
  size_t knobs;
  uint64_t size; /* combinations, at most SVF_SPACE_MOST */
  svf_arena arena;
} svf_space;

#define SVF_SPACE_MOST ((uint64_t)1 << 60)

/* Knobs from texts "NAME=VALUE|VALUE", or (count 0) from the table of settings; task: that
 * of the data. On failure nothing is held. */
svf_status svf_space_open(svf_space *space, const svf_settings *base, svf_task task, const svf_tune_options *options,
                          svf_message *message);
void svf_space_close(svf_space *space);
/* The settings of one combination; the last knob turns fastest. */
void svf_space_at(const svf_space *space, uint64_t index, svf_settings *settings);
/* Appends what differs from the base: "name=value name=value". */
bool svf_space_text(const svf_space *space, const svf_settings *settings, svf_buffer *text);
/* The combination at a place of a random order of all of them; combination 0 stays in front. */
uint64_t svf_space_shuffled(const svf_space *space, uint64_t place);

/* The rows that every candidate runs on. A share of them is named by its parts: part[i] < parts. */
typedef struct svf_course {
  const svf_table *table;
  size_t folds, parts; /* parts: 3^(rungs - 1) */
  int32_t *fold, *part;
  size_t *row;    /* scratch, n */
  double *values; /* scratch, n */
  svf_arena arena;
} svf_course;

enum { SVF_THIRDS = 3 };    /* by how much the rows grow, and the candidates shrink, from rung to rung */
enum { SVF_TUNE_ROWS = 4 }; /* the random stream of the rows; those of the order are 0..3 */

svf_status svf_course_open(svf_course *course, const svf_table *table, size_t folds, uint64_t seed,
                           svf_message *message);
void svf_course_close(svf_course *course);
/* Trains on the rows of `parts` parts outside the fold, and tests on all rows inside. */
svf_status svf_course_run(const svf_course *course, const svf_settings *settings, size_t fold, size_t parts,
                          const svf_run *run, double *score, svf_message *message);

typedef struct svf_candidate {
  uint64_t index; /* in the space */
  char *text;     /* what differs from the base; malloc'd */
  double score, deviation, rows, seconds;
  bool failed;
} svf_candidate;

struct svf_tuning {
  svf_space space;
  svf_buffer list; /* of candidates; those that have run come first, info.candidates of them */
  svf_settings best;
  bool less; /* a small score is a good one */
  bool any;  /* some candidate is complete */
  svf_tuning_info info;
  svf_message refusal; /* of the first combination that does not go together */
  double start;
};

static inline svf_candidate *svf_candidate_at(const svf_tuning *tuning, size_t index) {
  return (svf_candidate *)tuning->list.data + index;
}

/* A search under way. */
typedef struct svf_seeking {
  svf_tuning *tuning;
  svf_tune_options options;
  svf_course course;
  const svf_run *outer; /* the caller's; NULL: none */
  svf_run run;          /* what trainings get: its callback looks at the clock */
  uint64_t place;       /* of the next candidate in the order of the search */
  double done, planned; /* in trainings on all rows of a fold; planned 0: unknown */
  double cost;          /* of the training at hand */
  double reported;      /* to the caller's callback, never falls */
  bool stopped;         /* the caller asked for it */
  svf_status failure;   /* of the first candidate that did not fit */
  svf_message why;      /* of the first that failed */
  svf_message *message; /* never NULL */
} svf_seeking;

/* tune_try.c. Seconds of a clock that never goes back. */
double svf_tune_now(void);
/* Is a better than b? NaN is worse than all others. */
bool svf_tune_better(const svf_tuning *tuning, double a, double b);
/* The callback of `run`; user: the svf_seeking. */
int svf_tune_look(void *user, const svf_progress *progress);
/* Is the budget spent, or does the caller want to stop? */
bool svf_tune_over(svf_seeking *s);
/* Runs a candidate on some parts of the rows and notes how it went. SVF_STOPPED: by wish or by the clock. */
svf_status svf_tune_try(svf_seeking *s, size_t index, size_t parts);

/* tune_search.c: tries candidates until there is a reason to end. */
svf_status svf_tune_seek(svf_seeking *s);

#endif
