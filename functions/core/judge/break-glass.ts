import * as z from 'zod';
import { breakGlassAnnotation } from '../argocd/refused-sync.ts';
import type { Answer, Question } from '../findings/question.ts';
import { latest } from '../text/instant.ts';

/** An object that may change while its pool is not paused, because of an annotation on it. */
export interface BreakGlassExemption {
  readonly kind: string;
  readonly name: string;
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
    found.push(...read.data.items.flatMap(({ metadata }) => exemptionsOf(kind, metadata)));
  }
  return found;
}

function exemptionsOf(kind: string, { name, annotations, managedFields }: Metadata): readonly BreakGlassExemption[] {
  const reason = (annotations?.[breakGlassAnnotation] ?? '').trim();
  if (reason === '') return [];
  const writers = managedFields ?? [];
  const holder = writers.find(({ fieldsV1 }) =>
    has(fieldsV1, ['f:metadata', 'f:annotations', `f:${breakGlassAnnotation}`]),
  );
  const ofSpec = writers.filter(({ fieldsV1 }) => has(fieldsV1, ['f:spec']));
  const at = latest(ofSpec.map(({ time }) => time));
  const writer = ofSpec.find(({ time }) => time === at);
  const isSince = at !== undefined && holder?.time !== undefined && Date.parse(at) >= Date.parse(holder.time);
  const changed = writer !== undefined && at !== undefined && isSince ? { by: writer.manager, at } : undefined;
  return [{ kind, name, reason, by: holder?.manager ?? 'somebody', at: holder?.time, changed }];
}

function has(fields: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return true;
  if (typeof fields !== 'object' || fields === null) return false;
  const inner = Object.entries(fields).find(([name]) => name === key);
  return inner !== undefined && has(inner[1], rest);
}
