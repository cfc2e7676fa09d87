/* read.c - svf_table_read: the readers of data/, told about the model a table is meant for. */
#include "forest/partition.h"

#include "data/read.h"

svf_status svf_table_read(const char *path, const svf_read_options *options, svf_table **table,
                          svf_message *message) {
  static const svf_read_options standard;
  if (!options) options = &standard;
  const svf_encoding *like = options->model ? &options->model->encoding : NULL;
  if (options->cuts && options->cuts->kind == SVF_PORTION_CUTS) like = &options->cuts->cuts.forest->encoding;
  return svf_read_table(path, options, like, table, message);
}
