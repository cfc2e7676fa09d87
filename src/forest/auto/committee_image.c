/* committee_image.c - the file of a committee: its settings and plan, what the committee adds to its members, and the
 * members' own files one after the other (docs/format.md, "Committees"). */
#include "forest/auto/committee.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "data/names.h"

typedef enum section { HEAD, SETT, PLAN, MEMB, BODY, BACK, CONF, SECTIONS } section;

typedef struct head_record {
  uint64_t curve; /* svf_curve_kind */
  double smooth, slope, shift, score, deviation;
} head_record;

typedef struct member_record {
  uint64_t offset, bytes; /* in BODY */
  double weight, score;
} member_record;

_Static_assert(sizeof(head_record) == 48, "HEAD");
_Static_assert(sizeof(member_record) == 32, "MEMB");

static const svf_section_kind kinds[SECTIONS] = {
    [HEAD] = {"HEAD", sizeof(head_record)},   [SETT] = {"SETT", 1}, [PLAN] = {"PLAN", 1},
    [MEMB] = {"MEMB", sizeof(member_record)}, [BODY] = {"BODY", 1}, [BACK] = {"BACK", sizeof(double)},
    [CONF] = {"CONF", sizeof(double)},
};
const svf_layout svf_committee_layout = {SVF_COMMITTEE_VERSION, BACK, SECTIONS, kinds, NULL};

/* ---- writing ---- */

/* Members without weight are left out. */
static bool write_members(const svf_committee_parts *parts, svf_buffer *records, svf_buffer *body) {
  for (size_t m = 0; m < parts->count; m++) {
    if (!(parts->weight[m] > 0)) continue;
    svf_buffer_align(body, SVF_IMAGE_ALIGN);
    member_record record = {body->size, parts->image[m].size, parts->weight[m], parts->score[m]};
    svf_buffer_add(records, &record, sizeof record);
    svf_buffer_add(body, parts->image[m].data, parts->image[m].size);
  }
  return !records->failed && !body->failed;
}

static bool write_all(const svf_committee_parts *parts, svf_buffer *image) {
  svf_buffer text = {0}, records = {0}, body = {0};
  head_record head = {parts->curve.kind,  parts->curve.smooth, parts->curve.slope,
                      parts->curve.shift, parts->whole_score,  parts->whole_deviation};
  bool fine = svf_settings_write(parts->settings, &text) && write_members(parts, &records, &body);
  svf_section_span content[SECTIONS] = {
      [HEAD] = {&head, sizeof head, sizeof head},
      [SETT] = {text.data, text.size, 1},
      [PLAN] = {parts->plan, strlen(parts->plan) + 1, 1},
      [MEMB] = {records.data, records.size, sizeof(member_record)},
      [BODY] = {body.data, body.size, 1},
      [BACK] = {parts->background.data, parts->background.size, sizeof(double)},
      [CONF] = {NULL, 0, sizeof(double)},
  };
  fine = fine && svf_image_assemble(&svf_committee_layout, content, image);
  svf_buffer_free(&text);
  svf_buffer_free(&records);
  svf_buffer_free(&body);
  return fine;
}

svf_status svf_committee_make(const svf_committee_parts *parts, svf_forest **forest, svf_message *message) {
  svf_buffer image = {0};
  if (write_all(parts, &image))
    return svf_image_open(image.data, image.size, SVF_HOLD_ALLOCATED, NULL, forest, message);
  svf_buffer_free(&image);
  return svf_no_memory(message, "the committee");
}

/* ---- reading ---- */

void svf_committee_free(svf_committee *committee) {
  for (size_t m = 0; m < committee->count; m++) {
    svf_forest_free(committee->member[m].forest);
    free(committee->member[m].settings);
  }
  free(committee->member);
  free(committee);
}

static bool fraction(double x) { return x >= 0 && x <= 1; }

static svf_status check_head(const svf_image *image, svf_committee *committee) {
  if (svf_section_count(image->bytes, HEAD) != 1) return svf_damaged(image, "its section HEAD is wrong");
  const head_record *head = svf_section_data(image->bytes, HEAD);
  bool curved = head->curve != SVF_CURVE_NONE;
  if (head->curve >= SVF_CURVES || !fraction(head->smooth) || (curved && !(head->smooth > 0)) ||
      !isfinite(head->slope) || !isfinite(head->shift) || isinf(head->score) || isinf(head->deviation))
    return svf_damaged(image, "its calibration is wrong");
  committee->curve = (svf_curve){head->curve, head->smooth, head->slope, head->shift};
  committee->score = head->score;
  committee->deviation = head->deviation;
  return SVF_OK;
}

/* One text that ends with its only 0. */
static svf_status check_plan(const svf_image *image, svf_committee *committee) {
  const char *plan = svf_section_data(image->bytes, PLAN);
  size_t size = svf_section_count(image->bytes, PLAN);
  if (!size || memchr(plan, 0, size) != plan + size - 1) return svf_damaged(image, "its plan is no text");
  committee->plan = plan;
  return SVF_OK;
}

/* Members stand one after the other, each at the first aligned place. */
static svf_status open_member(const svf_image *image, const member_record *record, size_t *end, svf_member *member) {
  const unsigned char *body = svf_section_data(image->bytes, BODY);
  size_t size = svf_section_count(image->bytes, BODY);
  size_t offset = (*end + SVF_IMAGE_ALIGN - 1) / SVF_IMAGE_ALIGN * SVF_IMAGE_ALIGN;
  if (record->offset != offset || offset > size || record->bytes > size - offset)
    return svf_damaged(image, "a member lies outside of it");
  if (!(record->weight > 0 && record->weight <= 1) || isinf(record->score))
    return svf_damaged(image, "the weight of a member is wrong");
  SVF_TRY(svf_image_open(body + offset, (size_t)record->bytes, SVF_HOLD_LENT, image->path, &member->forest,
                         image->message));
  member->weight = record->weight;
  member->score = record->score;
  *end = offset + (size_t)record->bytes;
  svf_buffer text = {0};
  svf_planned_write(&member->forest->settings, &text);
  svf_buffer_add(&text, "", 1);
  member->settings = (char *)text.data;
  if (text.failed) return svf_no_memory(image->message, "a model");
  return member->forest->committee ? svf_damaged(image, "a member is a committee itself") : SVF_OK;
}

/* Do two members take the same tables and give the same kind of answers? */
static bool alike(const svf_encoding *a, const svf_encoding *b) {
  if (a->task != b->task || a->features != b->features || a->made != b->made || a->named != b->named) return false;
  if (!a->target_name != !b->target_name || (a->target_name && strcmp(a->target_name, b->target_name))) return false;
  if (!svf_names_equal(&a->classes, &b->classes)) return false;
  for (size_t j = 0; j < svf_encoding_all(a); j++)
    if (strcmp(a->feature[j].name, b->feature[j].name) || a->feature[j].left_out != b->feature[j].left_out ||
        !svf_names_equal(&a->feature[j].levels, &b->feature[j].levels))
      return false;
  return true;
}

static svf_status open_members(const svf_image *image, svf_committee *committee) {
  const member_record *record = svf_section_data(image->bytes, MEMB);
  size_t count = svf_section_count(image->bytes, MEMB), end = 0;
  double all = 0;
  if (!count || count > SVF_MEMBERS) return svf_damaged(image, "it has %zu members", count);
  committee->member = calloc(count, sizeof *committee->member);
  if (!committee->member) return svf_no_memory(image->message, "a model");
  for (size_t m = 0; m < count; m++) {
    committee->count = m + 1;
    SVF_TRY(open_member(image, &record[m], &end, &committee->member[m]));
    all += record[m].weight;
    if (!alike(&committee->member[0].forest->encoding, &committee->member[m].forest->encoding))
      return svf_damaged(image, "its members were trained on different tables");
  }
  if (end != svf_section_count(image->bytes, BODY)) return svf_damaged(image, "bytes follow its members");
  return fabs(all - 1) < 1e-9 ? SVF_OK : svf_damaged(image, "the weights of its members do not add up to 1");
}

svf_status svf_committee_open(const svf_image *image, svf_forest *forest) {
  SVF_TRY(svf_sections_check(image, &svf_committee_layout));
  SVF_TRY(svf_settings_read(image, SETT, &forest->settings));
  svf_committee *committee = calloc(1, sizeof *committee);
  if (!committee) return svf_no_memory(image->message, "a model");
  forest->committee = committee;
  SVF_TRY(check_head(image, committee));
  SVF_TRY(check_plan(image, committee));
  SVF_TRY(open_members(image, committee));
  const svf_forest *first = committee->member[0].forest;
  bool classes = first->encoding.task == SVF_TASK_CLASS;
  if (committee->curve.kind != SVF_CURVE_NONE &&
      (!classes || (committee->curve.kind == SVF_CURVE_LOGISTIC && first->encoding.classes.count != 2)))
    return svf_damaged(image, "its calibration does not fit its classes");
  svf_message why;
  if (!forest->settings.committee || svf_settings_check(&forest->settings, first->encoding.task, &why))
    return svf_damaged(image, "its settings are not those of a committee");
  forest->encoding = first->encoding;
  forest->parts =
      (svf_parts){.settings = &forest->settings, .encoding = &forest->encoding, .rows = first->parts.rows};
  forest->la = first->la;
  SVF_TRY(svf_background_read(image, svf_section_data(image->bytes, BACK), svf_section_count(image->bytes, BACK),
                              forest));
  return svf_conformal_read(image, svf_section_data(image->bytes, CONF), svf_section_count(image->bytes, CONF),
                            forest);
}
