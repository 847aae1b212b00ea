import * as z from 'zod';
import type { Answer } from '../../functions/core/findings/question.ts';
import { type Question, questionKey } from '../../functions/core/findings/question.ts';
import { fieldsFit, labelsFit } from './fits-selector.ts';
import { type ResourcePath, resourcePath } from './resource-path.ts';
import type { Reading, Snapshot } from './snapshot.ts';

/** Answers questions from recorded readings. The same question gets the same answer; another one is answered from
 *  readings that cover it (a list of which it wants a part). What no reading covers is unknown, never absent. */
export function answersFrom(snapshot: Snapshot): (question: Question) => Answer {
  const exact = new Map(snapshot.readings.map((reading) => [keyOf(reading), reading]));
  const lists = snapshot.readings.flatMap(asList);
  const objects = snapshot.readings.flatMap(asObject);
  return (question) => {
    const same = exact.get(questionKey({ ...question, form: question.form ?? 'object' }));
    if (same !== undefined) return answerOf(same);
    const wanted = resourcePath(question.path);
    const known =
      wanted === undefined
        ? undefined
        : wanted.name === undefined
          ? listed(question, wanted, lists)
          : named(question, wanted, { lists, objects });
    return known ?? unknown(snapshot, wanted);
  };
}

/** Printed columns cannot answer questions about objects. */
function isOfObjects(form: Reading['form']): boolean {
  return form === 'object' || form === 'metadata';
}

interface ListRead {
  readonly resource: ResourcePath;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly metadataOnly: boolean;
  readonly items: readonly unknown[];
  /** The server returned all of it. */
  readonly complete: boolean;
  readonly readAt: string;
}

interface ObjectRead {
  readonly resource: ResourcePath;
  readonly metadataOnly: boolean;
  readonly body: unknown;
  readonly readAt: string;
}

const List = z.object({
  items: z.array(z.unknown()),
  metadata: z.object({ continue: z.string().catch('') }).catch({ continue: '' }),
});
const Named = z.object({ metadata: z.object({ name: z.string(), namespace: z.string().optional() }) });

function keyOf({ path, query, form }: Reading): string {
  return questionKey({ path, query, form });
}

function answerOf({ answer, readAt }: Reading): Answer {
  return { ...answer, readAt: new Date(readAt) };
}

function asList({ path, query, form, readAt, answer }: Reading): readonly ListRead[] {
  const resource = resourcePath(path);
  if (answer.kind !== 'found' || !isOfObjects(form) || resource === undefined || resource.name !== undefined) return [];
  const read = List.safeParse(answer.body);
  if (!read.success) return [];
  return [
    {
      resource,
      labelSelector: query['labelSelector'] ?? '',
      fieldSelector: query['fieldSelector'] ?? '',
      metadataOnly: form === 'metadata',
      items: read.data.items,
      complete: read.data.metadata.continue === '',
      readAt,
    },
  ];
}

function asObject({ path, form, readAt, answer }: Reading): readonly ObjectRead[] {
  const resource = resourcePath(path);
  if (answer.kind !== 'found' || resource?.name === undefined) return [];
  return [{ resource, metadataOnly: form === 'metadata', body: answer.body, readAt }];
}

/** From a list over at least the same objects, with no selector or the same one. */
function listed({ query, form }: Question, wanted: ResourcePath, lists: readonly ListRead[]): Answer | undefined {
  const labelSelector = query['labelSelector'] ?? '';
  const fieldSelector = query['fieldSelector'] ?? '';
  const source = lists.find(
    (list) =>
      covers(list, wanted, form) &&
      (list.labelSelector === '' || list.labelSelector === labelSelector) &&
      (list.fieldSelector === '' || list.fieldSelector === fieldSelector),
  );
  if (source === undefined) return undefined;
  const items = source.items.filter(
    (item) => isIn(item, wanted) && labelsFit(item, labelSelector) && fieldsFit(item, fieldSelector),
  );
  const limit = Number(query['limit'] ?? items.length);
  const more = items.length > limit ? 'more' : '';
  const body = { items: items.slice(0, limit), metadata: { continue: more } };
  return { kind: 'found', body, readAt: new Date(source.readAt) };
}

function covers(list: ListRead, wanted: ResourcePath, form: Question['form']): boolean {
  return (
    list.complete &&
    list.resource.collection === wanted.collection &&
    (list.resource.namespace === undefined || list.resource.namespace === wanted.namespace) &&
    (!list.metadataOnly || form === 'metadata')
  );
}

/** From any reading that contains it; that it does not exist is known only from a list that would contain it. */
function named(
  { form }: Question,
  wanted: ResourcePath,
  { lists, objects }: { readonly lists: readonly ListRead[]; readonly objects: readonly ObjectRead[] },
): Answer | undefined {
  const single = objects.find(
    ({ resource, metadataOnly }) =>
      resource.collection === wanted.collection &&
      resource.namespace === wanted.namespace &&
      resource.name === wanted.name &&
      (!metadataOnly || form === 'metadata'),
  );
  if (single !== undefined) return { kind: 'found', body: single.body, readAt: new Date(single.readAt) };
  for (const list of lists) {
    if (list.resource.collection !== wanted.collection || (list.metadataOnly && form !== 'metadata')) continue;
    const body = list.items.find((item) => isIn(item, wanted) && nameOf(item)?.name === wanted.name);
    if (body !== undefined) return { kind: 'found', body, readAt: new Date(list.readAt) };
  }
  const all = lists.find(
    (list) => covers(list, wanted, 'metadata') && list.labelSelector === '' && list.fieldSelector === '',
  );
  return all === undefined ? undefined : { kind: 'absent', readAt: new Date(all.readAt) };
}

function isIn(item: unknown, { namespace }: ResourcePath): boolean {
  return namespace === undefined || nameOf(item)?.namespace === namespace;
}

function nameOf(item: unknown): z.infer<typeof Named>['metadata'] | undefined {
  return Named.safeParse(item).data?.metadata;
}

function unknown({ whole, takenAt }: Snapshot, wanted: ResourcePath | undefined): Answer {
  const readAt = new Date(takenAt);
  if (!whole) return { kind: 'failed', why: 'it is not in the snapshot', readAt };
  return wanted !== undefined && wanted.name === undefined
    ? { kind: 'found', body: { items: [], metadata: { continue: '' } }, readAt }
    : { kind: 'absent', readAt };
}
