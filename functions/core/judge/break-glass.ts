import * as z from 'zod';
import { breakGlassAnnotation } from '../argocd/refused-sync.ts';
import type { Answer, Question } from '../findings/question.ts';
import { isPast, latest, plusSeconds } from '../text/instant.ts';

/** The one change that an annotation names. */
export interface NamedChange {
  readonly act: 'creation' | 'update' | 'deletion';
  /** Generation of the object before the change; 0 for a creation. */
  readonly generation: number;
  /** ISO instant. */
  readonly until: string;
  /** The object is past that generation: the change was made, whether its pool was paused then or not. */
  readonly isMade: boolean;
}

/** An object of which a change is admitted while its pool is not paused, because of an annotation on it. */
export interface BreakGlassExemption {
  readonly kind: string;
  readonly name: string;
  /** Undefined: the annotation names no change. Version 2 of the policy admits nothing for it; version 1 admits every
   *  change. */
  readonly names: NamedChange | undefined;
  readonly reason: string;
  /** The last writer of the object that carries the annotation, and when; the API server records this for the writer,
   *  not for the field. */
  readonly by: string;
  readonly at: string | undefined;
  /** Newest write of its spec since then, by anyone. */
  readonly changed: { readonly by: string; readonly at: string } | undefined;
}

/** The kinds that our service account may list; for others see the API server's audit log. */
const kinds = {
  MachineConfig: 'machineconfigs',
  KubeletConfig: 'kubeletconfigs',
  ContainerRuntimeConfig: 'containerruntimeconfigs',
  MachineOSConfig: 'machineosconfigs',
} as const;

/** Metadata only: the contents are not read. */
export const breakGlassQuestions: readonly Question[] = Object.values(kinds).map((plural) => ({
  path: `/apis/machineconfiguration.openshift.io/v1/${plural}`,
  query: {},
  form: 'metadata',
}));

const List = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        generation: z.number().catch(0),
        annotations: z.record(z.string(), z.string()).nullish(),
        managedFields: z
          .array(
            z.object({
              manager: z.string().catch(''),
              time: z.string().optional().catch(undefined),
              fieldsV1: z.unknown(),
            }),
          )
          .nullish()
          .catch([]),
      }),
    }),
  ),
});
type Metadata = z.infer<typeof List>['items'][number]['metadata'];

/** The exemptions in the answers to {@link breakGlassQuestions}, in the same order. Undefined: something was not
 *  read. */
export function readBreakGlass(answers: readonly Answer[]): readonly BreakGlassExemption[] | undefined {
  const found: BreakGlassExemption[] = [];
  for (const [index, kind] of Object.keys(kinds).entries()) {
    const answer = answers[index];
    if (answer?.kind === 'absent') continue;
    const read = answer?.kind === 'found' ? List.safeParse(answer.body) : undefined;
    if (read === undefined || !read.success) return undefined;
    const { readAt } = answer ?? { readAt: new Date(0) };
    found.push(...read.data.items.flatMap(({ metadata }) => exemptionsOf(kind, metadata, readAt)));
  }
  return found;
}

/** The form of {@link breakGlassAnnotation}. */
const named =
  /^(?:creation of (\S{1,253})|(update|deletion) of (\S{1,253}) at generation (\d{1,9})) until (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ): *(\S.*)$/s;

/** Seconds. A change that was made is reported this long after its end, so that no sweep misses it. */
const madeAfterwardsSeconds = 24 * 3600;

interface Named {
  readonly change: NamedChange;
  readonly reason: string;
}

/** Undefined: it names no change, or one of another object. */
function namedIn(words: string, { name, generation }: Pick<Metadata, 'name' | 'generation'>): Named | undefined {
  const [, made, act, changed, number = '0', until = '', reason = ''] = named.exec(words) ?? [];
  if ((made ?? changed) !== name || Number.isNaN(Date.parse(until))) return undefined;
  if (made !== undefined) return { change: { act: 'creation', generation: 0, until, isMade: true }, reason };
  const before = Number(number);
  const what = act === 'deletion' ? 'deletion' : 'update';
  return { change: { act: what, generation: before, until, isMade: generation > before }, reason };
}

function isOver({ until, isMade }: NamedChange, now: Date): boolean {
  return isPast(plusSeconds(new Date(until), isMade ? madeAfterwardsSeconds : 0), now);
}

function exemptionsOf(
  kind: string,
  { name, generation, annotations, managedFields }: Metadata,
  now: Date,
): readonly BreakGlassExemption[] {
  const words = (annotations?.[breakGlassAnnotation] ?? '').trim();
  if (words === '') return [];
  const { change: names, reason } = namedIn(words, { name, generation }) ?? { change: undefined, reason: words };
  if (names !== undefined && isOver(names, now)) return [];
  const writers = managedFields ?? [];
  const holder = writers.find(({ fieldsV1 }) =>
    has(fieldsV1, ['f:metadata', 'f:annotations', `f:${breakGlassAnnotation}`]),
  );
  const ofSpec = writers.filter(({ fieldsV1 }) => has(fieldsV1, ['f:spec']));
  const at = latest(ofSpec.map(({ time }) => time));
  const writer = ofSpec.find(({ time }) => time === at);
  const isSince = at !== undefined && holder?.time !== undefined && Date.parse(at) >= Date.parse(holder.time);
  const changed = writer !== undefined && at !== undefined && isSince ? { by: writer.manager, at } : undefined;
  return [{ kind, name, names, reason, by: holder?.manager ?? 'somebody', at: holder?.time, changed }];
}

function has(fields: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (typeof fields !== 'object' || fields === null) return false;
  const inner = Object.entries(fields).find(([name]) => name === key);
  return inner !== undefined && has(inner[1], rest);
}
