import {
  type Application,
  isParked,
  isRunning,
  isSameApplication,
  type ObservedApplication,
  type Operation,
  waitsForRetry,
  wasTerminated,
} from '../argocd/application.ts';
import type { RefusedSync } from '../argocd/refused-sync.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { applicationOfHold, type Hold } from '../openshift/hold.ts';
import { isInFlight } from '../openshift/node.ts';
import type { Race } from '../races/race.ts';
import { earliest, secondsSince } from '../text/instant.ts';
import { ageText, clipped, counted, listed, quoted } from '../text/phrases.ts';
import { redact } from '../text/safe-text.ts';
import { command } from '../text/shell-words.ts';
import { poolFacts } from './facts.ts';
import type { JudgeInput } from './input.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';
import { refusedFinding, refusedForPeople } from './refused-syncs.ts';

/** What is wrong with the syncs that hold a pool. */
export function syncTroubles(state: PoolState, input: JudgeInput): readonly Trouble[] {
  return [...syncStuck(state, input), ...runFailed(state, input), ...latePause(state, input)];
}

/** Applications of the holds on this pool that could not be read in this pass: it is unknown whether their syncs are
 *  stuck. */
export function unreadApplications(state: PoolState, { applications }: JudgeInput): readonly string[] {
  return holdsOf(state).flatMap((hold) => {
    const observed = observedOf(hold, applications);
    return observed === undefined || observed.kind === 'unreadable' ? [hold.who] : [];
  });
}

function holdsOf({ pool }: PoolState): readonly Hold[] {
  return pool.record.kind === 'record' ? pool.record.record.holds.filter(({ kind }) => kind === 'sync') : [];
}

function observedOf(hold: Hold, observations: readonly ObservedApplication[]): ObservedApplication | undefined {
  const wanted = applicationOfHold(hold.id);
  if (wanted === undefined) return undefined;
  return observations.find((observed) =>
    isSameApplication(observed.kind === 'seen' ? observed.application : observed.ref, wanted),
  );
}

function applicationOf(hold: Hold, { applications }: JudgeInput): Application | undefined {
  const observed = observedOf(hold, applications);
  return observed?.kind === 'seen' ? observed.application : undefined;
}

/** An operation that runs longer than it may. The pool stays held: nothing is resumed on age alone. */
function syncStuck(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const stuck = holdsOf(state).flatMap((hold) => {
    const application = applicationOf(hold, input);
    const operation = application?.operation;
    if (application === undefined || operation === undefined || !isRunning(operation)) return [];
    return secondsSince(operation.startedAt, input.now) >= input.policy.syncAtMostSeconds
      ? [{ application, operation }]
      : [];
  });
  const since = earliest(stuck.map(({ operation }) => operation.startedAt));
  if (since === undefined) return [];
  const names = stuck.map(({ application }) => `${application.namespace}/${application.name}`);
  const worst = secondsSince(since, input.now) >= 2 * input.policy.syncAtMostSeconds;
  return [
    trouble(state, input, 'sync-stuck', {
      severity: worst ? 'high' : 'warning',
      headline: `sync of ${listed(names, 2)} does not finish`,
      since,
      findings: stuck.map(({ application, operation }) => stuckFinding(application, operation, input)),
      facts: poolFacts(state, [
        { label: 'Application', value: listed(names, 3) },
        { label: 'Running for', value: `${ageText(secondsSince(since, input.now) * 1000)}, since ${since}` },
        { label: 'Pool', value: 'stays paused until the sync ends' },
      ]),
    }),
  ];
}

function stuckFinding(application: Application, operation: Operation, { now }: JudgeInput): Finding {
  const of = ref('Application', application.name, application.namespace);
  const readAt = now.toISOString();
  const age = ageText(secondsSince(operation.startedAt, now) * 1000);
  return finding({
    code: 'A2',
    subject: of,
    sentence: `The sync of ${of.namespace}/${of.name} has been running for ${age} (${stuckWords(operation)}): ${quoted(operation.message, 240)}`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.operationState.phase', operation.phase, readAt),
      evidence(of, 'status.operationState.startedAt', operation.startedAt, readAt),
      evidence(of, 'status.operationState.retryCount', operation.retryCount, readAt),
    ],
    remedies: [
      remedy('Fix what the sync is waiting for (see its message)', { who: 'application owner' }),
      remedy('Or terminate the sync; the pool then stays held until a sync succeeds or the hold is released', {
        command: command('argocd', 'app', 'terminate-op', `${application.namespace}/${application.name}`),
        risk: 'low',
        who: 'application owner',
      }),
    ],
  });
}

function stuckWords(operation: Operation): string {
  if (isParked(operation)) return 'held back by a sync window';
  if (waitsForRetry(operation)) return `waiting for attempt ${operation.retryCount + 2}`;
  return operation.phase === 'Terminating' ? 'being terminated' : 'under way';
}

/** A sync failed and its hold keeps the pool paused. */
function runFailed(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const failed = holdsOf(state).filter(({ phase }) => phase === 'failed');
  const refused = refusedHere(state, input);
  if (failed.length === 0) return refused.length === 0 ? [] : [onlyRefused(state, refused, input)];
  const findings = [
    ...failed.map((hold) => failedFinding(hold, applicationOf(hold, input), input)),
    ...refused.map((each) => refusedFinding(each.application, each.refused, input)),
  ];
  const since = earliest(failed.map((hold) => applicationOf(hold, input)?.operation?.finishedAt ?? hold.since)) ?? '';
  const names = failed.map(({ who }) => who);
  return [
    trouble(state, input, 'run-failed', {
      severity: 'high',
      headline: `sync of ${listed(names, 2)} failed, pool stays paused`,
      since,
      findings,
      facts: poolFacts(state, [
        { label: names.length === 1 ? 'Application' : 'Applications', value: listed(names, 3) },
        { label: 'Failing for', value: `${ageText(secondsSince(since, input.now) * 1000)}, since ${since}` },
        { label: 'Decision', value: decisionText(failed, input) },
      ]),
    }),
  ];
}

interface Refused {
  readonly application: Application;
  readonly refused: RefusedSync;
}

function refusedHere(state: PoolState, input: JudgeInput): readonly Refused[] {
  return holdsOf(state).flatMap((hold) => {
    const application = applicationOf(hold, input);
    const refused = application && refusedForPeople(application, input);
    return application === undefined || refused === undefined ? [] : [{ application, refused }];
  });
}

/** Not failed: the admission policy refused the sync, and nothing retries it automatically. */
function onlyRefused(state: PoolState, refused: readonly Refused[], input: JudgeInput): Trouble {
  const names = refused.map(({ application }) => `${application.namespace}/${application.name}`);
  const until = earliest(refused.map((each) => each.refused.until)) ?? '';
  return trouble(state, input, 'run-failed', {
    severity: 'warning',
    headline: `sync of ${listed(names, 2)} was refused and must be retried`,
    since: earliest(refused.map(({ application }) => application.operation?.finishedAt)) ?? input.now.toISOString(),
    findings: refused.map((each) => refusedFinding(each.application, each.refused, input)),
    facts: poolFacts(state, [
      { label: names.length === 1 ? 'Application' : 'Applications', value: listed(names, 3) },
      { label: 'Decision', value: `stays paused for it until ${until}, then the hold is released` },
    ]),
  });
}

function decisionText(failed: readonly Hold[], { policy }: JudgeInput): string {
  const until = earliest(failed.map((hold) => hold.until)) ?? '';
  return policy.onSyncFailure === 'resume'
    ? `resumes by policy at ${until}`
    : 'stays paused until a sync succeeds or the hold is released';
}

function failedFinding(hold: Hold, application: Application | undefined, { now }: JudgeInput): Finding {
  const wanted = applicationOfHold(hold.id);
  const of = ref('Application', wanted?.name ?? hold.who, wanted?.namespace ?? '');
  const operation = application?.operation;
  const readAt = now.toISOString();
  const failed = operation === undefined ? [] : failedResources(operation);
  const terminated = operation !== undefined && wasTerminated(operation);
  const what = failed.length === 0 ? '' : ` on ${listed(failed.map(({ name }) => name))}`;
  const words = quoted(failed[0]?.message || operation?.message || hold.why, 240);
  return finding({
    code: terminated ? 'A3' : 'A1',
    subject: of,
    sentence: terminated
      ? `The sync of ${hold.who} was terminated before it was done${what}: ${words}`
      : `The sync of ${hold.who} failed${what}: ${words}`,
    confidence: operation === undefined ? 'likely' : 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.operationState.phase', operation?.phase ?? 'not read', readAt),
      ...failed
        .slice(0, 3)
        .map(({ name, message }) =>
          evidence(of, `status.operationState.syncResult.resources[${name}]`, clipped(message), readAt),
        ),
    ],
    remedies: [
      remedy(`Fix the cause in Git${sourceText(application)}; the next successful sync resumes the pool`, {
        who: 'application owner',
      }),
      remedy('Or sync again, if the cause is gone', {
        command: command('argocd', 'app', 'sync', `${of.namespace}/${of.name}`),
        who: 'application owner',
      }),
    ],
  });
}

/** ` (https://github.com/acme/platform, path nodes)`, or nothing. */
function sourceText(application: Application | undefined): string {
  const source = application?.sources.find(({ chart, hydration }) => chart === '' && hydration !== 'hydrated');
  if (source === undefined) return '';
  return ` (${redact(source.repoURL)}${source.path === '' ? '' : `, path ${source.path}`})`;
}

interface FailedResource {
  readonly name: string;
  readonly message: string;
}

/** Resources that Argo CD could not apply, and hooks that failed. */
function failedResources({ results }: Operation): readonly FailedResource[] {
  return results
    .filter(
      ({ status, hookType, message }) => status === 'SyncFailed' || (hookType !== '' && /fail|error/i.test(message)),
    )
    .map(({ kind, namespace, name, message }) => ({
      name: `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`,
      message,
    }));
}

/** The pause lost its race: nodes were targeted before it was confirmed. Reported while its hold lasts or those nodes
 *  are updating. */
function latePause(state: PoolState, input: JudgeInput): readonly Trouble[] {
  const lost = input.races.filter((race) => race.pool === state.pool.name && isLost(race) && stillMatters(race, state));
  const since = earliest(lost.map(({ pausedAt, since: began }) => pausedAt ?? began));
  if (since === undefined) return [];
  const missed = [...new Set(lost.flatMap(({ missedNodes }) => missedNodes))].toSorted();
  const unprotected = lost.some(({ verdict }) => verdict === 'unprotected');
  return [
    trouble(state, input, 'late-pause', {
      severity: unprotected ? 'high' : 'warning',
      headline: unprotected
        ? 'the pause was never confirmed, the sync runs unprotected'
        : `the pause came late for ${listed(missed, 2)}`,
      since,
      findings: lost.map((race) => lateFinding(race, input)),
      facts: poolFacts(state, [
        { label: 'Missed nodes', value: missed.length === 0 ? 'none known' : listed(missed) },
        { label: 'Sync', value: listed([...new Set(lost.map(({ hold }) => hold.replace(/^sync\//, '')))], 3) },
      ]),
    }),
  ];
}

function isLost({ verdict }: Race): boolean {
  return verdict === 'late' || verdict === 'unprotected';
}

function stillMatters(race: Race, state: PoolState): boolean {
  const held = holdsOf(state).some(({ id, since }) => id === race.hold && since === race.since);
  return held || state.nodes.some((node) => race.missedNodes.includes(node.name) && isInFlight(node));
}

function lateFinding(race: Race, { now }: JudgeInput): Finding {
  const of = ref('MachineConfigPool', race.pool);
  const readAt = now.toISOString();
  const times = [
    ['pushed', race.pushedAt],
    ['paused', race.pausedAt],
    ['confirmed', race.confirmedAt],
    ['applied', race.appliedAt],
    ['first node targeted', race.firstTargetedAt],
  ] as const;
  const unprotected = race.verdict === 'unprotected';
  return finding({
    code: unprotected ? 'Z2' : 'Z1',
    subject: of,
    sentence: unprotected
      ? `The pause for ${race.hold} was not confirmed in time: nodes may be targeted while the sync runs.`
      : `${counted(race.missedNodes.length, 'node')} (${listed(race.missedNodes)}) had been targeted before the pause for ${race.hold} was confirmed, and will drain and reboot while the sync runs.`,
    confidence: 'certain',
    class: 'external',
    evidence: times.flatMap(([path, value]) => (value === undefined ? [] : [evidence(of, path, value, readAt)])),
    remedies: [
      remedy('Nodes already being updated cannot be stopped; the other nodes are held'),
      remedy('For future pushes: use protection handshake for this pool, so that the sync waits for the pause'),
    ],
  });
}
