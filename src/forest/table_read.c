/* table_read.c - svf_table_read: the readers of data/, told about the model a table is meant for. */
#include "forest/parts/partition.h"

#include "data/chunks.h"

svf_status svf_table_read(const char *path, const svf_read_options *options, svf_table **table,
                          svf_message *message) {
  static const svf_read_options standard;
  if (!options) options = &standard;
  const svf_encoding *like = options->model ? &options->model->encoding : NULL;
  if (options->cuts && options->cuts->kind == SVF_PORTION_CUTS) like = &options->cuts->cuts.forest->encoding;
  return svf_read_table(path, options, like, table, message);
}

svf_status svf_chunks_read(svf_chunks *chunks, size_t chunk, const svf_portion *cuts, svf_table **table,
                           svf_message *message) {
  bool known = cuts && cuts->kind == SVF_PORTION_CUTS;
  return svf_chunks_read_like(chunks, chunk, known ? cuts : NULL, known ? &cuts->cuts.forest->encoding : NULL, table,
                              message);
}
