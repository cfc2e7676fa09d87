/* choose_survey.c - what a leaf kind chooses for the whole forest: its first trees are grown, and their leaves vote. The
 * trees are the same whatever part of the forest is trained, so that parts choose alike. */
#include "forest/growth/plant.h"

#include <stdlib.h>

typedef struct survey {
  svf_planting *planting;
  svf_sapling *sapling;
  const svf_site **site; /* all leaves */
  size_t *tree;          /* whose they are */
  size_t trees, leaves, ballots;
  double *tally; /* of each leaf */
} survey;

static svf_status ask_leaf(void *context, size_t index, svf_worker *worker, svf_message *message) {
  const survey *s = context;
  size_t tree = s->tree[index];
  svf_ground ground = svf_plant_ground(s->planting, &s->sapling[tree], tree, worker);
  svf_mark mark = svf_arena_mark(&worker->arena);
  svf_status status =
      s->planting->kinds.leaf->ballot(&ground, s->site[index], s->tally + index * s->ballots, message);
  svf_arena_release(&worker->arena, mark);
  return status;
}

static bool list_leaves(survey *s) {
  size_t count = 0;
  for (size_t t = 0; t < s->trees; t++) count += s->sapling[t].leaves;
  s->site = calloc(count, sizeof *s->site);
  s->tree = calloc(count, sizeof *s->tree);
  s->tally = calloc((count + 1) * s->ballots, sizeof *s->tally);
  if (!s->site || !s->tree || !s->tally) return false;
  for (size_t t = 0; t < s->trees; t++)
    for (svf_site *site = s->sapling[t].root; site; site = svf_site_next(site))
      if (!site->child[0]) s->tree[s->leaves] = t, s->site[s->leaves++] = site;
  return true;
}

/* Tallies are added up in the order of the leaves. */
static svf_status hold(survey *s, svf_message *message) {
  svf_planting *p = s->planting;
  svf_stage grow = {"choose", 0, 0, NULL};
  SVF_TRY(svf_plant_grow(p, s->sapling, 0, s->trees, &grow, message));
  if (!list_leaves(s)) return svf_no_memory(message, "the leaves");
  p->pool->shared = true;
  svf_status status = svf_pool_run(p->pool, &grow, s->leaves, ask_leaf, s, message);
  p->pool->shared = false;
  if (status != SVF_OK) return status;
  double *all = s->tally + s->leaves * s->ballots;
  for (size_t i = 0; i < s->leaves * s->ballots; i++) all[i % s->ballots] += s->tally[i];
  p->kinds.leaf->settle(p->settings, all, p->shared);
  return SVF_OK;
}

svf_status svf_survey(svf_planting *planting, svf_message *message) {
  survey s = {.planting = planting,
              .trees = planting->kinds.cut->propose ? (size_t)planting->settings->choice_trees : 1};
  if (planting->kinds.leaf->ballots) s.ballots = planting->kinds.leaf->ballots(planting->settings);
  if (!s.ballots) return SVF_OK;
  s.sapling = calloc(s.trees, sizeof *s.sapling);
  svf_status status = s.sapling ? hold(&s, message) : svf_no_memory(message, "the trees");
  for (size_t t = 0; s.sapling && t < s.trees; t++) svf_sapling_free(&s.sapling[t]);
  free(s.sapling);
  free(s.site);
  free(s.tree);
  free(s.tally);
  return status;
}
