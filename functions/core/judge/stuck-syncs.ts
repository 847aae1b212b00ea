import { type Application, isParked, isRunning, type Operation, waitsForRetry } from '../argocd/application.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding } from '../findings/make-finding.ts';
import { ownerOf } from '../findings/owner.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import type { Hold } from '../openshift/hold.ts';
import { inTurns } from '../openshift/holders.ts';
import { earliest, secondsSince } from '../text/instant.ts';
import { ageText, lastingText, listed, quoted } from '../text/phrases.ts';
import { byTurns } from '../text/rounds.ts';
import { command } from '../text/shell-words.ts';
import { syncOf, syncsToEnd } from './ended-syncs.ts';
import { poolFacts } from './facts.ts';
import { guardWaitsSince } from './guard-clocks.ts';
import { heldApplication, syncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import { lossOf, lossWords, withLoss } from './lost-controller.ts';
import type { PoolState } from './pool-state.ts';
import { trouble } from './pool-troubles.ts';
import { retryText, type StillSync, stillSyncs } from './still-syncs.ts';
import type { SyncClocks } from './sync-clocks.ts';
import { applicationRef, inArgoCd, toldName } from './told-application.ts';

/** Operations that run longer than they may, or show no sign of life. Nothing is resumed on age alone, and a sync
 *  without a sign of life may be real: the pool stays held, unless a person decides otherwise. */
export function syncStuck(state: PoolState, input: JudgeInput, clocks: Pick<SyncClocks, 'clocks'>): readonly Trouble[] {
  const stuck = inTurns(syncHoldsOf(state)).flatMap((hold) => {
    const application = heldApplication(hold, input);
    const operation = application?.operation;
    if (application === undefined || operation === undefined || !isRunning(operation)) return [];
    return secondsSince(operation.startedAt, input.now) >= input.policy.syncAtMostSeconds
      ? [{ hold, application, operation }]
      : [];
  });
  const still = stillSyncs(state, input, clocks);
  const started = earliest(stuck.map(({ operation }) => operation.startedAt));
  if (started === undefined) return still.length === 0 ? [] : [onlyStill(state, still, input)];
  const names = stuck.map(({ application }) => toldName(application, input));
  const loss = lossWords(stuck.map(({ application }) => lossOf(application, input)));
  const alsoStill = still
    .map(({ application }) => toldName(application, input))
    .filter((name) => !names.includes(name));
  const all = [...names, ...alsoStill];
  const worst = secondsSince(started, input.now) >= 2 * input.policy.syncAtMostSeconds;
  return [
    trouble(state, input, 'sync-stuck', {
      severity: worst ? 'high' : 'warning',
      headline: headlineOf(names, loss, alsoStill),
      since: started,
      // One that stands still is told of another owner's beside any number that run too long.
      findings: byTurns(
        [
          ...stuck.map(({ application, operation }) =>
            withLoss(stuckFinding(application, operation, input), lossOf(application, input)),
          ),
          ...still.map((each) => each.finding),
        ],
        ({ subject }) => ownerOf(subject),
      ),
      facts: poolFacts(state, [
        { label: all.length === 1 ? 'Application' : 'Applications', value: listed(all, 3) },
        { label: 'Running for', value: lastingText(started, input.now.toISOString()) },
        { label: 'Pool', value: poolWords(state, stuck) },
      ]),
      syncs: syncsToEnd([...stuck, ...still].map(({ application }) => syncOf(application))),
    }),
  ];
}

function headlineOf(stuck: readonly string[], loss: string | undefined, alsoStill: readonly string[]): string {
  const why = loss === undefined ? '' : `: ${loss}`;
  const also = alsoStill.length === 0 ? '' : `${why === '' ? ',' : ';'} sync of ${listed(alsoStill, 2)} stands still`;
  return `sync of ${listed(stuck, 2)} does not finish${why}${also}`;
}

/** Whether a stuck sync keeps the pool paused: a person may have overruled it. */
function poolWords({ pool }: PoolState, stuck: readonly { readonly hold: Hold }[]): string {
  const mark = stuck.map(({ hold }) => hold.overruled).find((each) => each !== undefined);
  const keepsPaused = pool.paused && stuck.some(({ hold }) => hold.overruled === undefined);
  if (keepsPaused) return 'stays paused until the sync ends';
  const words = pool.paused ? 'is paused for something else' : 'is not paused';
  return mark === undefined ? words : `${words}: ${mark.by} resumed it in spite of this sync`;
}

function onlyStill(state: PoolState, still: readonly StillSync[], input: JudgeInput): Trouble {
  const since = earliest(still.map((each) => each.since)) ?? input.now.toISOString();
  const names = still.map(({ application }) => toldName(application, input));
  const [first] = still;
  const loss = lossWords(still.map(({ application }) => lossOf(application, input)));
  const headline =
    first !== undefined && still.length === 1 ? first.headline : `syncs of ${listed(names, 2)} stand still`;
  return trouble(state, input, 'sync-stuck', {
    severity: still.some(({ severity }) => severity === 'warning') ? 'warning' : 'info',
    headline: loss === undefined ? headline : `${headline}: ${loss}`,
    since,
    findings: still.map((each) => each.finding),
    facts: poolFacts(state, [
      { label: names.length === 1 ? 'Application' : 'Applications', value: listed(names, 3) },
      { label: 'No change for', value: lastingText(since, input.now.toISOString()) },
      { label: 'Pool', value: 'stays paused: the sync may be real, and a person decides' },
    ]),
    syncs: syncsToEnd(still.map(({ application }) => syncOf(application))),
  });
}

function stuckFinding(application: Application, operation: Operation, input: JudgeInput): Finding {
  const { now } = input;
  const of = applicationRef(application, input);
  const readAt = now.toISOString();
  const age = ageText(secondsSince(operation.startedAt, now) * 1000);
  return finding({
    code: 'A2',
    subject: of,
    sentence: `The sync of ${toldName(application, input)} has been running for ${age} (${stuckWords(application, operation, input)}): ${quoted(operation.message, 240)}`,
    confidence: 'certain',
    class: 'external',
    evidence: [
      evidence(of, 'status.operationState.phase', operation.phase, readAt),
      evidence(of, 'status.operationState.startedAt', operation.startedAt, readAt),
      evidence(of, 'status.operationState.retryCount', operation.retryCount, readAt),
    ],
    remedies: [
      remedy('Fix what the sync is waiting for (see its message)', { who: 'application owner' }),
      remedy(
        `Or terminate the sync${inArgoCd(application, input)}; the pool then stays held until a sync succeeds or the hold is released`,
        {
          command: command('argocd', 'app', 'terminate-op', `${application.namespace}/${application.name}`),
          risk: 'low',
          who: 'application owner',
        },
      ),
    ],
  });
}

function stuckWords({ namespace, name }: Application, operation: Operation, { firstSeen, now }: JudgeInput): string {
  if (isParked(operation)) {
    const isOurs = guardWaitsSince(firstSeen, `${namespace}/${name}`) !== undefined;
    return isOurs
      ? "held back by its guard, a sync window of Poolkeeper's own: the alert about guards says what opens it"
      : 'held back by a sync window';
  }
  if (waitsForRetry(operation)) return `waiting for ${retryText(operation, now)}`;
  return operation.phase === 'Terminating' ? 'being terminated' : 'under way';
}
