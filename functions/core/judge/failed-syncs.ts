import { type Application, type ObjectName, type Operation, wasTerminated } from '../argocd/application.ts';
import type { RefusedSync } from '../argocd/refused-sync.ts';
import { sourcePlace } from '../argocd/source-place.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import { type Finding, keyText, type Remedy, type Trouble } from '../findings/trouble.ts';
import { refusedByGuard, syncByHand } from '../guard/sync-by-hand.ts';
import { objectText } from '../holds/left-failed.ts';
import { hasFailed } from '../holds/pointed-away.ts';
import { type Hold, holdsAnnotation } from '../openshift/hold.ts';
import { holdersText, inTurns } from '../openshift/holders.ts';
import { keptPausedText } from '../openshift/kept-paused.ts';
import { hasPendingChange, type Pool } from '../openshift/pool.ts';
import { holdsOf, standingHoldsOf } from '../openshift/pool-record.ts';
import { earliest, latest } from '../text/instant.ts';
import { oncePer } from '../text/once-per.ts';
import { clipped, lastingText, listed, quoted } from '../text/phrases.ts';
import { poolCommand } from '../text/pool-command.ts';
import { command } from '../text/shell-words.ts';
import { syncOf, syncOfHold, syncsToEnd } from './ended-syncs.ts';
import { poolFacts } from './facts.ts';
import { heldApplication, observedOf, standingSyncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import { lossOf, lossWords, withLoss } from './lost-controller.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';
import { refusedFinding, refusedForPeople } from './refused-syncs.ts';
import { heldRef, toldHold, toldName } from './told-application.ts';

/** A sync failed and its hold keeps the pool paused. */
export function runFailed(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const failedAt = (hold: Hold) => ownSync(applicationHere(hold, input))?.finishedAt ?? hold.since;
  const failed = inTurns(
    standingSyncHoldsOf(state).filter(({ phase }) => phase === 'failed'),
    failedAt,
  );
  const refused = refusedHere(state, input);
  const unapproved = withoutApprovers(state, input);
  if (failed.length === 0 && unapproved.length > 0) return [neverApproved(state, unapproved, input)];
  if (failed.length === 0) return refused.length === 0 ? [] : [onlyRefused(state, refused, input)];
  const findings = [
    ...failed.map((hold) => {
      const application = applicationHere(hold, input);
      return withLoss(failedFinding(hold, state.pool, input), lossOf(application, input));
    }),
    ...refused.map((each) => refusedFinding(each.application, each.refused, input)),
  ];
  const since = earliest(failed.map(failedAt)) ?? '';
  const names = failed.map(({ id, who }) => toldHold(id, input, who));
  const loss = lossWords(failed.map((hold) => lossOf(applicationHere(hold, input), input)));
  const alsoRefused = refused
    .map(({ application }) => toldName(application, input))
    .filter((name) => !names.includes(name));
  const all = [...names, ...alsoRefused];
  return [
    trouble(state, input, 'run-failed', {
      severity: 'high',
      headline: headlineOf(names, loss, alsoRefused),
      since,
      findings,
      facts: poolFacts(state, [
        { label: all.length === 1 ? 'Application' : 'Applications', value: listed(all, 3) },
        { label: 'Failing for', value: lastingText(since, input.now.toISOString()) },
        { label: 'Decision', value: decisionText(failed, state, input) },
      ]),
      syncs: syncsToEnd([...failed.map(syncOfHold), ...refused.map((each) => syncOf(each.application))]),
    }),
  ];
}

function headlineOf(failed: readonly string[], loss: string | undefined, alsoRefused: readonly string[]): string {
  const what = `sync of ${listed(failed, 2)} failed`;
  const also = alsoRefused.length === 0 ? '' : ` sync of ${listed(alsoRefused, 2)} was refused`;
  if (loss !== undefined) return `${what}: ${loss}${also === '' ? '' : `;${also}`}`;
  return `${what}${also === '' ? '' : `,${also}`}, pool stays paused`;
}

/** Applications whose failed syncs nobody may approve, so that their pool stays paused though no hold is left. */
function withoutApprovers(state: PoolState, input: JudgeInput): readonly string[] {
  return state.pendingSince !== undefined && !mayBeApproved(state, input) ? leftFailed(state.pool) : [];
}

/** Ids of the holds whose syncs failed, and after which a pool that we keep paused resumes only with approvals. */
function leftFailed({ paused, record }: Pool): readonly string[] {
  if (!paused || record.kind !== 'record' || record.record.pause !== 'ours') return [];
  return record.record.release?.afterFailed ?? [];
}

function mayBeApproved({ pool }: PoolState, { pools }: JudgeInput): boolean {
  const observed = pools.kind === 'seen' ? pools.value.find((each) => each.pool.name === pool.name) : undefined;
  return (observed?.people ?? []).length > 0;
}

function neverApproved(state: PoolState, ids: readonly string[], input: JudgeInput): Trouble {
  const { pool } = state;
  const since = (pool.record.kind === 'record' ? pool.record.record.release?.since : undefined) ?? '';
  const names = ids.map((id) => toldHold(id, input));
  return trouble(state, input, 'run-failed', {
    severity: 'high',
    headline: `sync of ${listed(names, 2)} failed, and nobody may approve what it applied`,
    since,
    findings: ids.slice(0, 3).map((id) => neverApprovedFinding(id, pool, input)),
    facts: poolFacts(state, [
      { label: names.length === 1 ? 'Application' : 'Applications', value: listed(names, 3) },
      { label: 'Waiting for', value: lastingText(since, input.now.toISOString()) },
      { label: 'Decision', value: untilPersonActs },
    ]),
  });
}

function neverApprovedFinding(id: string, observed: Pool, input: JudgeInput): Finding {
  const { name } = observed;
  const of = heldRef({ id }, input) ?? ref('Application', id);
  const pool = ref('MachineConfigPool', name);
  return finding({
    code: 'A1',
    subject: of,
    sentence: `The sync of ${toldHold(id, input)} failed or was cut off, and none has succeeded since. By policy onSyncFailure, pool ${name} resumes only after an approval, and approve of that pool names nobody.`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(
        pool,
        `metadata.annotations[${holdsAnnotation}].release.afterFailed`,
        clipped(id),
        input.now.toISOString(),
      ),
    ],
    remedies: [
      remedy('Fix the cause in Git; the next full sync to this cluster that succeeds resumes the pool', {
        who: 'application owner',
      }),
      remedy(`Or name people under approve of pool ${name} in poolkeeper.yaml`, { who: 'platform' }),
      letOut(observed, input),
    ],
  });
}

/** A resume goes past whatever else holds the pool. */
function letOut(pool: Pool, { cluster }: Pick<JudgeInput, 'cluster'>, failed?: Hold): Remedy {
  const others = standingHoldsOf(pool).filter(({ id }) => id !== failed?.id);
  const passed = [...(others.length > 0 ? [holdersText(others)] : []), keptPausedText(pool)].filter(
    (one) => one !== '',
  );
  if (passed.length > 0)
    return remedy(
      `Or, once nothing else holds it, let out what was applied as it is. A resume now would go past ${listed(passed)}, too`,
    );
  return remedy('Or let out what was applied as it is', {
    command: poolCommand('resume', { cluster, pool: pool.name }, '--reason', '...'),
    risk: 'outage',
  });
}

const untilPersonActs = 'stays paused until a sync succeeds or a person resumes it: nobody is named who may approve';

/** What ended the hold of a failed sync, by the key of its incident, where nobody knows that it has succeeded. */
export function failureEndings(input: JudgeInput): readonly (readonly [string, string])[] {
  const { cluster, pools } = input;
  if (pools.kind !== 'seen') return [];
  return pools.value.flatMap(({ pool }) => {
    const failed = leftFailed(pool);
    if (failed.length === 0 || !hasPendingChange(pool)) return [];
    const key = keyText({ cluster, pool: pool.name, kind: 'run-failed' });
    const what = `No sync of ${listed(
      failed.map((id) => toldHold(id, input)),
      2,
    )} is known to have succeeded`;
    return [[key, `${what}: the pool stays paused, and asks for approval of what was applied.`] as const];
  });
}

interface Refused {
  readonly hold: Hold;
  readonly application: Application;
  readonly refused: RefusedSync;
}

function refusedHere(state: PoolState, input: JudgeInput): readonly Refused[] {
  return inTurns(standingSyncHoldsOf(state)).flatMap((hold) => {
    const application = heldApplication(hold, input);
    const refused = application && refusedForPeople(application, input);
    return application === undefined || refused === undefined ? [] : [{ hold, application, refused }];
  });
}

/** The admission policy refused the sync, and nothing retries it automatically. */
function onlyRefused(state: PoolState, refused: readonly Refused[], input: JudgeInput): Trouble {
  const names = refused.map(({ application }) => toldName(application, input));
  const until = earliest(refused.map((each) => each.refused.until)) ?? '';
  return trouble(state, input, 'run-failed', {
    severity: 'warning',
    headline: `sync of ${listed(names, 2)} was refused and must be retried`,
    since: earliest(refused.map(({ application }) => application.operation?.finishedAt)) ?? input.now.toISOString(),
    findings: refused.map((each) => refusedFinding(each.application, each.refused, input)),
    facts: poolFacts(state, [
      { label: names.length === 1 ? 'Application' : 'Applications', value: listed(names, 3) },
      { label: 'Decision', value: refusedDecision(refused, until, input) },
    ]),
    syncs: syncsToEnd(refused.map(({ application }) => syncOf(application))),
  });
}

/** What has begun, or follows one that failed, is no sync that nobody has begun. */
function refusedDecision(refused: readonly Refused[], until: string, { policy }: JudgeInput): string {
  const then = refused.some(({ hold }) => hasFailed(hold))
    ? `if nobody has retried it then, it counts as failed, and policy onSyncFailure (${policy.onSyncFailure}) decides`
    : 'then the hold is released';
  return `stays paused for it until ${until}, ${then}`;
}

function decisionText(failed: readonly Hold[], state: PoolState, input: JudgeInput): string {
  const { policy } = input;
  const until = latest(failed.map((hold) => hold.until)) ?? '';
  const others = standingHoldsOf(state.pool).filter(({ id }) => !failed.some((hold) => hold.id === id));
  const unless = `unless something else keeps it paused${others.length === 0 ? '' : `, as ${holdersText(others)} now`}`;
  switch (policy.onSyncFailure) {
    case 'resume':
      return `held until ${until}; by policy the pool then resumes, ${unless}${whileElsewhere(failed)}`;
    case 'resume-after-approval':
      if (!hasPendingChange(state.pool) && state.pendingSince === undefined)
        return `resumes at ${until} if no change is pending then, ${unless}`;
      if (!mayBeApproved(state, input)) return untilPersonActs;
      return `asks for approval at ${until}, and stays paused until it is given or a sync succeeds`;
    case 'keep':
      return 'stays paused until a sync succeeds or the hold is released';
    default:
      return policy.onSyncFailure satisfies never;
  }
}

/** A sync that runs on another cluster by now, and may have begun here, is waited for. */
function whileElsewhere(failed: readonly Hold[]): string {
  const runs = failed.some(({ ranElsewhere }) => ranElsewhere !== undefined);
  return runs ? '; not before the sync ends that runs on another cluster now, and may have begun here' : '';
}

function failedFinding(hold: Hold, pool: Pool, input: JudgeInput): Finding {
  const isElsewhere = deploysElsewhere(hold, input);
  const application = applicationHere(hold, input);
  const of = heldRef(hold, input) ?? ref('Application', hold.who);
  const name = toldHold(hold.id, input, hold.who);
  const operation = ownSync(application);
  const readAt = input.now.toISOString();
  const failed = operation === undefined ? [] : failedResources(operation);
  const terminated = operation !== undefined && wasTerminated(operation);
  const what = failed.length === 0 ? '' : ` on ${listed(failed.map(({ name }) => name))}`;
  const words = quoted(failed[0]?.message || operation?.message || hold.why, 240);
  return finding({
    code: terminated ? 'A3' : 'A1',
    subject: of,
    sentence: isElsewhere
      ? `A sync of ${name} failed or was cut off, and the Application deploys to another cluster now.`
      : `The sync of ${name} ${terminated ? 'was terminated before it was done' : 'failed'}${what}: ${words}`,
    confidence: operation === undefined ? 'likely' : 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.operationState.phase', phaseShown(application, operation), readAt),
      ...(operation?.revisions ?? [])
        .slice(0, 1)
        .map((revision) => evidence(of, 'status.operationState.syncResult.revision', clipped(revision, 80), readAt)),
      ...failed
        .slice(0, 3)
        .map(({ name: resource, message }) =>
          evidence(of, `status.operationState.syncResult.resources[${resource}]`, clipped(message), readAt),
        ),
    ],
    remedies: isElsewhere
      ? [
          remedy(
            'Let it deploy to this cluster again and sync it here, or take what it has applied here away by hand',
            {
              who: 'application owner',
            },
          ),
          letOut(pool, input, hold),
        ]
      : [
          remedy(
            `Fix the cause in Git${sourceText(application)}; the next full sync that succeeds${isOfPart(hold) ? ', or one of what has failed,' : ''} resumes the pool`,
            { who: 'application owner' },
          ),
          syncAgain(of, hold, isGuarded(hold, input)),
        ],
  });
}

function phaseShown(application: Application | undefined, operation: Operation | undefined): string {
  if (operation !== undefined) return operation.phase;
  return application === undefined ? 'not read' : 'not shown any more';
}

/** What it does now is no sync of this cluster, and mends nothing here. */
function deploysElsewhere(hold: Hold, { applications }: JudgeInput): boolean {
  const observed = observedOf(hold, applications);
  return observed?.kind === 'gone' && observed.elsewhere !== undefined;
}

/** The Application of a failed sync, if it could be read and deploys to this cluster. */
function applicationHere(hold: Hold, input: JudgeInput): Application | undefined {
  return deploysElsewhere(hold, input) ? undefined : heldApplication(hold, input);
}

/** A dry run that somebody has started since is none, nor is a sync of a part that has succeeded. */
function ownSync(application: Application | undefined): Operation | undefined {
  const operation = application?.operation;
  return operation?.dryRun === true || operation?.phase === 'Succeeded' ? undefined : operation;
}

/** Only parts of it have failed: the rest may be out of sync on purpose. */
function isOfPart({ leftFailed = [] }: Hold): boolean {
  return leftFailed.length > 0 && leftFailed.every(isPlain);
}

/** One that Argo CD's command line takes as it is: it separates by colons, and an exclamation mark excludes. */
function isPlain({ group, kind, namespace, name }: ObjectName): boolean {
  const isName = (text: string) => /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(text);
  const isNameOrNone = (text: string) => text === '' || isName(text);
  return isNameOrNone(group) && /^[A-Za-z][A-Za-z0-9]*$/.test(kind) && isNameOrNone(namespace) && isName(name);
}

function syncAgain({ namespace = '', name, argocd }: Finding['subject'], hold: Hold, isBehindGuard: boolean): Remedy {
  const parts = isOfPart(hold) ? (hold.leftFailed ?? []) : [];
  const where = argocd === undefined ? '' : ` in Argo CD ${argocd}`;
  const words = `${parts.length === 0 ? 'Or sync again' : 'Or sync what failed again'}${where}`;
  return isBehindGuard
    ? remedy(`${words}, if the cause is gone. ${refusedByGuard}`, {
        command: syncByHand({ namespace, name }, parts),
        who: 'application owner',
      })
    : remedy(`${words}, if the cause is gone`, {
        command: command('argocd', 'app', 'sync', `${namespace}/${name}`, ...parts.flatMap(selected)),
        who: 'application owner',
      });
}

/** As Argo CD's command line selects it. Source: argo-cd cmd/argocd/commands/app.go, parseSelectedResources. */
function selected({ group, kind, namespace, name }: ObjectName): readonly string[] {
  return ['--resource', `${group}:${kind}:${namespace === '' ? '' : `${namespace}/`}${name}`];
}

/** It is held on a pool whose level holds back syncs. */
function isGuarded({ id }: Hold, { pools, guardedPools = [] }: JudgeInput): boolean {
  const all = pools.kind === 'seen' ? pools.value : [];
  return all.some(({ pool }) => guardedPools.includes(pool.name) && holdsOf(pool).some((hold) => hold.id === id));
}

/** ` (https://github.com/acme/platform, path nodes)`, or nothing. */
function sourceText(application: Application | undefined): string {
  const source = application?.sources.find(({ chart, hydration }) => chart === '' && hydration !== 'hydrated');
  return source === undefined ? '' : ` (${sourcePlace(source)})`;
}

interface FailedResource {
  readonly name: string;
  readonly message: string;
}

/** Resources that Argo CD could not apply, and hooks that failed. Once for all pools that it holds. */
const failedResources = oncePer(
  ({ results }: Operation): readonly FailedResource[] =>
    results
      .filter(
        ({ status, hookType, message }) => status === 'SyncFailed' || (hookType !== '' && /fail|error/i.test(message)),
      )
      .map((result) => ({ name: objectText(result), message: result.message })),
  new WeakMap(),
);
