import type { Sequence } from '../configuration/sequence.ts';
import { checkJobOf } from './check-job.ts';
import { placeOf } from './own-object.ts';
import type { PlannedGate, PlannedStep, SequencePlan } from './plan.ts';
import { type CheckRun, formerAtMost, type HeldApplication, type ItemRecord, type SequenceRecord } from './record.ts';

/** Steps and gates on their clusters, without planning them: a list of gates for each of many steps on each of many
 *  clusters is more than memory holds. */
export function countItems({ steps, clusters, disabled: isLeftOut }: Sequence): number {
  if (isLeftOut) return 0;
  return Object.values(steps).reduce((sum, { disabled, waitFor, clusters: own }) => {
    const gates = waitFor === undefined ? 0 : 1 + (waitFor.all?.length ?? 0) + (waitFor.any?.length ?? 0);
    return disabled ? sum : sum + (own.length > 0 ? own : clusters).length * (1 + gates);
  }, 0);
}

/** A record of all that has to be remembered, as large as it can get. Its texts are empty. */
export function largestRecord(plan: SequencePlan, { namespace }: Pick<Sequence, 'namespace'>): SequenceRecord {
  const filled = filling();
  const steps = plan.steps.map((step): [string, ItemRecord] => [step.id, largestStep(step, filled)]);
  const gates = plan.gates.map((gate): [string, ItemRecord] => [
    gate.id,
    largestGate(gate, { sequence: plan.name, namespace }, filled),
  ]);
  return {
    v: 1,
    owner: filled(16),
    onAbort: 'restore',
    isShort: true,
    items: Object.fromEntries([...steps, ...gates]),
    former: Array.from({ length: formerAtMost }, () => ({ cluster: '', path: filled(150), uid: filled(36) })),
    skipped: {},
    held: Object.fromEntries(plan.steps.flatMap((step) => heldOf(step, filled))),
    stood: plan.steps.flatMap(({ id, target }) => (target.kind === 'application' ? [id] : [])),
    stall: { since: instant(filled), heldSince: instant(filled), turns: 1_000_000, seconds: 31_536_000 },
    done: { at: instant(filled), of: filled(16) },
    firstDoneAt: instant(filled),
    aborting: { only: plan.gates.map(({ id }) => id) },
    log: [],
  };
}

function largestStep({ target }: PlannedStep, filled: Fill): ItemRecord {
  return {
    ...largestItem(filled),
    begunAt: instant(filled),
    unhealthySince: instant(filled),
    ...(target.kind === 'pool' ? { underWay: true, hadTurn: true as const } : {}),
    ...(target.kind === 'object'
      ? {
          made: { uid: filled(36), of: filled(16), path: pathLike(target.manifest) },
          drift: '',
          driftedAt: instant(filled),
        }
      : {}),
  };
}

function largestGate(
  { id, anyOf }: PlannedGate,
  of: { readonly sequence: string; readonly namespace: string },
  filled: Fill,
): ItemRecord {
  const jobs = anyOf.flatMap((gate) => checkJobOf(gate, { ...of, id }) ?? []);
  const runs = jobs.map(({ name }): [string, CheckRun] => [name, { uid: filled(36), of: filled(16), succeeded: true }]);
  return {
    ...largestItem(filled),
    waitedSince: instant(filled),
    passedAt: instant(filled),
    ...(runs.length === 0 ? {} : { runs: Object.fromEntries(runs) }),
  };
}

function largestItem(filled: Fill): ItemRecord {
  return { state: 'unhealthy', since: instant(filled), value: '', is: filled(8), wave: -999_999_999_999_999 };
}

/** The window that an Application has, and the one that it had in the project before. */
function heldOf({ id, target }: PlannedStep, filled: Fill): readonly [string, HeldApplication][] {
  if (target.kind !== 'application') return [];
  const place = { cluster: 'argocd', namespace: target.namespace, application: target.name };
  const before = filled(253);
  return [
    [id, { ...place, project: filled(253) }],
    [`${id} in ${target.namespace}/${before}`, { ...place, project: before }],
  ];
}

function pathLike(manifest: Readonly<Record<string, unknown>>): string {
  const { namespace = '', name } = placeOf(manifest);
  return `/apis/${String(manifest['apiVersion'])}/namespaces/${namespace}/${String(manifest['kind'])}/${name}`;
}

/** So many characters of a name that have nothing in common with others. */
type Fill = (characters: number) => string;

const alphabet = 'abcdefghijklmnopqrstuvwxyz0123456789.-';

/** The same ones each time. Source: Park and Miller, a minimal standard generator. */
function filling(): Fill {
  let state = 20_261_122;
  return (characters) => {
    let text = '';
    for (let done = 0; done < characters; done += 1) {
      state = (state * 48_271) % 2_147_483_647;
      text += alphabet[state % alphabet.length];
    }
    return text;
  };
}

function instant(filled: Fill): string {
  const ms = [...filled(7)].reduce((sum, character) => sum * 38 + alphabet.indexOf(character), 0);
  return new Date(1_700_000_000_000 + (ms % 100_000_000_000)).toISOString();
}
