/* leaf.h - the seam "what predicts inside a cell?"; one file per kind, one row in leaves.c.
 *
 * A leaf model is an array of numbers that only its own kind can read. For a row it returns k scores and k shares. For
 * classes, scores are about -1..1 (+1 in a leaf of that class alone, -1 for a class that is not in the leaf) and shares
 * are probabilities. For regression, k = 1 and both are the value. */
#ifndef SVF_LEAF_LEAF_H
#define SVF_LEAF_LEAF_H

#include "base/buffer.h"
#include "cut/site.h"
#include "settings/kind.h"

/* A trained leaf, where it is used. */
typedef struct svf_leaf_view {
  const double *numbers; /* NULL where they are in `singles` */
  size_t length;
  size_t d, k;       /* encoded columns, scores */
  const float *fill; /* d: what stands for a missing value */
  const svf_la *la;
  const float *singles;     /* the numbers under precision=single, else NULL */
  const svf_metric *metric; /* the forest's; NULL: it has none */
} svf_leaf_view;

static inline double svf_leaf_number(const svf_leaf_view *leaf, size_t index) {
  return leaf->singles ? (double)leaf->singles[index] : leaf->numbers[index];
}

/* One candidate for a leaf, under a pick that chooses among them. */
typedef struct svf_draft {
  svf_buffer numbers; /* the model, complete but for what `finish` adds */
  double right;       /* weight of the cell's rows that it classifies right */
  double capacity;    /* VC dimension of what it was chosen from; infinite where that has none */
} svf_draft;

/* Some rows of the table, drawn at random, by which a kind may choose settings of the whole forest. */
typedef struct svf_choosing {
  const svf_frame *frame; /* the same rows under each scale that is open */
  size_t count;
  const uint32_t *row; /* n: those of the frames that count, in random order */
  size_t n;
  const svf_la *la;
  const svf_run *run;
} svf_choosing;

typedef struct svf_leaf_code svf_leaf_code; /* leaf_code.h */

typedef struct svf_leaf {
  svf_kind kind;

  /* Do the settings leave something open that the kind chooses before the table is encoded? Then `choose` puts it into
   * them, but for the scale: *frame becomes the number of the frame that is best. From seed and table alone. NULL, both:
   * nothing, and scale=auto is refused. */
  bool (*chooses)(const svf_settings *settings);
  svf_status (*choose)(const svf_choosing *choosing, svf_settings *settings, size_t *frame, svf_message *message);

  /* Makes what all leaves of a forest share, in the arena; sites see it as ground->shared. NULL: nothing. */
  svf_status (*prepare)(const svf_frame *frame, const svf_settings *settings, svf_arena *arena, void **shared,
                        svf_message *message);

  /* Learns, once for the whole forest and from seed and table alone, the coordinates in which its leaves measure distance;
   * they find them in ground->metric and in their view, the model file keeps them once. The ground has no tree; the map's
   * numbers come from ground->arena, and t stays NULL where the settings ask for none. NULL: the kind has none. */
  svf_status (*learn)(const svf_ground *ground, svf_metric *metric, svf_message *message);

  /* For what is chosen once for the whole forest: some trees are grown first, each of their leaves adds to a tally of as
   * many numbers as `ballots` says, and `settle` puts the outcome of all of them into what prepare made. The trees are
   * the first of the forest whatever part of it is trained. NULL, or ballots 0: nothing is chosen so. */
  size_t (*ballots)(const svf_settings *settings);
  svf_status (*ballot)(const svf_ground *ground, const svf_site *site, double *tally, svf_message *message);
  void (*settle)(const svf_settings *settings, const double *tally, void *shared);

  /* The candidates that a pick may choose from, each trained once; draft: as many as `drafts` says, empty. Then `finish`
   * completes the numbers of the one that was taken. NULL: there is nothing to choose from. */
  size_t (*drafts)(const svf_settings *settings);
  svf_status (*draft)(const svf_ground *ground, const svf_site *site, svf_draft *draft, svf_message *message);
  svf_status (*finish)(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message);

  /* Appends the model of the site's rows; it may begin from the model of the site above, where that is ready (it is, or
   * is not, by the tree alone). Scratch from ground->worker->arena, which the caller releases. */
  svf_status (*train)(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message);

  /* Appends a model that says the same everywhere: the mean of the site's rows, or the shares of their classes (the most
   * frequent one, where the leaf knows no shares). For cells without rows. NULL: there is no such model. */
  svf_status (*flat)(const svf_ground *ground, const svf_site *site, svf_buffer *numbers, svf_message *message);

  /* Training is one pass over the rows: the thread that grew a tree trains its leaves, too. False: every leaf is
   * a job of its own. */
  bool quick;

  /* One very large leaf keeps all threads busy (svf_share): those are trained one at a time. */
  bool shares;

  /* Is a run of numbers from a file safe to use below? Finite numbers are checked by the caller. */
  bool (*valid)(const svf_leaf_view *leaf);

  /* n rows of d floats (NaN: missing); score and share are n x k, share NULL where nobody asks for it. What is said
   * of a row has the same bits whatever rows stand beside it. Scratch is given back; false: memory ran out. */
  bool (*predict)(const svf_leaf_view *leaf, const float *const *row, size_t n, svf_arena *scratch, double *score,
                  double *share);

  /* It says the same of every row, and looks at none. */
  bool fixed;

  /* Is the answer to a number linear in the row, missing values filled? Then w, d + 1 numbers or NULL, becomes its weights,
   * the last one for 1. NULL: never. */
  bool (*linear)(const svf_leaf_view *leaf, double *w);

  /* Turns an answer a of a step of boosting (svf_frame.step) into factor * a + shift. NULL: leaves of this kind cannot be
   * added up. */
  void (*adjust)(double *numbers, size_t length, double factor, double shift);

  /* It puts class weights into its costs itself, balanced ones by the rows of the cell. Else every row of the
   * tree counts by its class, for cuts and leaves alike. */
  bool class_costs;

  /* VC dimension of what its machines were chosen from; infinite where that has none. NULL: it is not known. */
  double (*capacity)(const svf_leaf_view *leaf);

  /* Relative duality gap of its machine. NULL: has none. */
  double (*gap)(const svf_leaf_view *leaf);

  /* Adds to sum[j] how much the answers change with encoded column j, for all d of them; scratch: 2 * svf_padded(d)
   * numbers. NULL: they do not. */
  void (*weights)(const svf_leaf_view *leaf, double *scratch, double *sum);

  /* Squared length of a column of the map in which it measures distance and which it learned for itself; -1: it has none.
   * NULL: never has. */
  double (*length)(const svf_leaf_view *leaf, size_t column);

  /* What the leaf expects an answer of its own to a number to err by, in the units of the target: the root mean squared
   * error on its training rows, each left out in its turn; 0 where it has too few of them to say. NULL: does not know. */
  double (*spread)(const svf_leaf_view *leaf);

  /* Appends one line in words and numbers, without newline. */
  bool (*text)(const svf_leaf_view *leaf, const svf_names *classes, svf_buffer *text);

  /* How its leaves are written as C. NULL: a model with such leaves cannot be exported. */
  const svf_leaf_code *code;
} svf_leaf;

/* The table of kinds, NULL-terminated. */
extern const svf_leaf *const svf_leaves[];

#endif
