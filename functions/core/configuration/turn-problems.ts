import type * as z from 'zod';

type Written = Readonly<Record<string, unknown>>;

const mustHaveNoJob = 'must have no image: a Job is a rule of type kubernetes';
const ofJobs = ['jobName', 'jobNamespace', 'jobSpec', 'cleanUpJobSpec'];

/** What is called before and after, of rules that call somebody. */
const told: Readonly<Record<string, readonly string[]>> = {
  http: ['url', 'cleanUpUrl'],
  lambda: ['functionName', 'cleanUpFunctionName'],
};

/** Adds what is wrong with a rule as a whole. */
export function checkRule(rule: Written, context: z.RefinementCtx): void {
  const type = String(rule['type']);
  const wrong = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  for (const key of ofJobs)
    if (type !== 'kubernetes' && rule[key] !== undefined) wrong(key, `must not stand beside type: ${type}`);
  if (hasJob(rule['gate'])) wrong('gate', mustHaveNoJob);
  if (type === 'gate' && rule['gate'] === undefined)
    wrong('gate', 'must stand beside type: gate, which consists of what it waits for');
  const parts = told[type];
  if (parts !== undefined && !hasOneOf(rule[type], parts))
    wrong(type, `type ${type} needs ${parts.join(', ')}, or both`);
  for (const key of ['gate', 'http', 'lambda'])
    if (type !== key && rule[key] !== undefined) wrong(key, `must stand beside type: ${key}`);
  if (type === 'kubernetes' || rule['fromCluster'] === true) checkJobs(rule, wrong);
}

/** Jobs stand in the rule, or in the MutexRule of the cluster. */
function checkJobs(rule: Written, wrong: (key: string, message: string) => void): void {
  const own = ['jobSpec', 'cleanUpJobSpec'].filter((key) => rule[key] !== undefined);
  if (rule['fromCluster'] !== true) {
    if (own.length === 0) wrong('jobSpec', 'a rule has jobSpec, cleanUpJobSpec, or both');
    return;
  }
  if (rule['type'] !== 'kubernetes') wrong('fromCluster', 'must stand beside type: kubernetes');
  for (const key of own) wrong(key, 'must not stand beside fromCluster: the MutexRule of the cluster has it');
}

function hasOneOf(part: unknown, keys: readonly string[]): boolean {
  return typeof part === 'object' && part !== null && keys.some((key) => key in part);
}

/** A Job of a gate would be none of the run's: a rule of Jobs is kept with its log. */
function hasJob(gate: unknown): boolean {
  return typeof gate === 'object' && gate !== null && 'image' in gate && gate.image !== undefined;
}

function isAbove(one: unknown, other: unknown): boolean {
  return typeof one === 'number' && typeof other === 'number' && one > other;
}

/** Adds what is wrong with a run as a whole. */
export function checkRun(run: Written, context: z.RefinementCtx): void {
  const isCanary = run['mode'] === 'canary';
  const wrong = (key: string, message: string) => context.addIssue({ code: 'custom', path: [key], message });
  const gates = Array.isArray(run['gates']) ? run['gates'] : [];
  if (gates.some(hasJob)) wrong('gates', mustHaveNoJob);
  if (run['cordoned'] === 'take' && !isAbove(run['unavailableAtMost'], run['atOnce']))
    wrong(
      'unavailableAtMost',
      'must be above atOnce beside cordoned: take: a cordoned node counts as unavailable before and after its turn',
    );
  if (isCanary && run['canary'] === undefined) wrong('canary', 'mode canary needs the pool to move nodes to');
  if (isCanary && run['cordoned'] === 'take')
    wrong('cordoned', 'must be hold with mode canary: the MCO takes no cordoned node into another pool');
  if (!isCanary && run['canary'] !== undefined) wrong('canary', 'must stand beside mode: canary');
}
