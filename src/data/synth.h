/* synth.h - one kind of synthetic set: how a row is drawn, and the risk that no method can beat. */
#ifndef SVF_DATA_SYNTH_H
#define SVF_DATA_SYNTH_H

#include "base/arena.h"
#include "base/random.h"
#include "data/table.h"
#include "svforest_inspect.h"

typedef struct svf_synth { /* a set being made */
  size_t n, d, classes;    /* classes 0: regression */
  size_t groups;           /* rows are dealt evenly over them: classes, unless prepare says otherwise */
  uint64_t seed;
  svf_arena *arena;
  void *own; /* what prepare made for draw */
} svf_synth;

typedef struct svf_synth_kind {
  svf_synth_info info;
  size_t fewest_features;
  size_t classes, most_classes; /* default and largest number; 0: regression */
  /* Draws one row of the group into x (d numbers) and returns its target: class code, or value. */
  double (*draw)(const svf_synth *synth, svf_random *random, size_t group, double *x);
  /* What is drawn once per set, into synth->own; NULL: nothing. */
  svf_status (*prepare)(svf_synth *synth, svf_message *message);
  /* Error rate, or mean squared error, of the best rule there is; NULL: not known. */
  double (*bayes_risk)(size_t d);
} svf_synth_kind;

/* A stream of the set's own: of one row, of the order of the rows, or of the n-th thing that rows share. */
typedef enum svf_synth_purpose { SVF_SYNTH_ROW, SVF_SYNTH_ORDER, SVF_SYNTH_SHARED } svf_synth_purpose;
svf_random svf_synth_stream(const svf_synth *synth, svf_synth_purpose purpose, uint64_t number);

/* Standard normal noise into x[from..d-1]. */
void svf_synth_noise(svf_random *random, double *x, size_t from, size_t d);

/* The kinds, by file. */
double svf_synth_moons(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_rings(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_spirals(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_friedman1(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_friedman1_risk(size_t d);
double svf_synth_sine(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_sine_risk(size_t d);

double svf_synth_twonorm(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_twonorm_risk(size_t d);
double svf_synth_ringnorm(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_ringnorm_risk(size_t d);
double svf_synth_mixture(const svf_synth *synth, svf_random *random, size_t group, double *x);
double svf_synth_mixture_risk(size_t d);

double svf_synth_classification(const svf_synth *synth, svf_random *random, size_t group, double *x);
svf_status svf_synth_classification_prepare(svf_synth *synth, svf_message *message);

#endif
