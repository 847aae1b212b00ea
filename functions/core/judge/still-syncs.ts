import { type Application, type Operation, waitsForRetry } from '../argocd/application.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding } from '../findings/make-finding.ts';
import type { Finding, Remedy, Severity } from '../findings/trouble.ts';
import type { Hold } from '../openshift/hold.ts';
import { inTurns, othersText } from '../openshift/holders.ts';
import { keptPausedText } from '../openshift/kept-paused.ts';
import { standingHoldsOf } from '../openshift/pool-record.ts';
import { earliest, isPast, latest, plusSeconds, secondsSince } from '../text/instant.ts';
import { kindWord } from '../text/kind-words.ts';
import { ageText, listed, quoted } from '../text/phrases.ts';
import { poolCommand } from '../text/pool-command.ts';
import { command } from '../text/shell-words.ts';
import { heldApplication, standingSyncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import { lossOf, withLoss } from './lost-controller.ts';
import type { PoolState } from './pool-state.ts';
import type { SyncClock, SyncClocks } from './sync-clocks.ts';
import { applicationRef, inArgoCd, toldName } from './told-application.ts';

/** A sync that keeps the pool paused and shows no sign of life. It may be real, so the pause stays and people
 *  decide. */
export interface StillSync {
  readonly application: Application;
  readonly severity: Severity;
  /** ISO instant, by our clock. */
  readonly since: string;
  readonly headline: string;
  readonly finding: Finding;
}

export function stillSyncs(
  state: PoolState,
  input: JudgeInput,
  { clocks }: Pick<SyncClocks, 'clocks'>,
): readonly StillSync[] {
  // Somebody has resumed it already.
  if (!state.pool.paused) return [];
  const quiet = inTurns(standingSyncHoldsOf(state)).flatMap((hold) => {
    const [application, clock] = [heldApplication(hold, input), clocks.get(hold.id)];
    return application === undefined || clock === undefined
      ? []
      : (quietSync(hold, { application, clock }, input) ?? []);
  });
  const nobodys = new Set(quiet.filter(mayBeNobodys).map(({ hold }) => hold.id));
  const all = standingHoldsOf(state.pool);
  const others = othersText(
    all.filter(({ id }) => !nobodys.has(id)),
    all,
  );
  const kept = keptPausedText(state.pool);
  return quiet.map((each) =>
    stillSync({ ...each, others: listed([others(each.hold.id), kept].filter((one) => one !== '')), state, input }),
  );
}

/** What of a sync has not changed. */
interface QuietSync {
  readonly hold: Hold;
  readonly application: Application;
  readonly clock: SyncClock;
  /** Its operation. */
  readonly isStill: boolean;
  /** Its comparison. */
  readonly isUnreconciled: boolean;
  /** Argo CD removes `.operation` in the patch that ends it. Source: argo-cd controller, setOperationState. */
  readonly isNobodys: boolean;
}

function quietSync(
  hold: Hold,
  { application, clock }: Pick<QuietSync, 'application' | 'clock'>,
  { now, policy }: JudgeInput,
): QuietSync | undefined {
  const lasted = (since: string) => secondsSince(since, now) >= policy.syncStillAtMostSeconds;
  const isUnreconciled = lasted(clock.unreconciledSince);
  // Nobody retries what no controller looks at.
  const isStill = lasted(isUnreconciled ? clock.stillSince : movesAgainAt(application, clock));
  if (!isStill && !isUnreconciled) return undefined;
  return { hold, application, clock, isStill, isUnreconciled, isNobodys: !application.operationQueued };
}

function mayBeNobodys({ isStill, isUnreconciled, isNobodys }: QuietSync): boolean {
  return isStill && (isNobodys || isUnreconciled);
}

function stillSync(quiet: Quiet): StillSync {
  const { application, clock, input, isStill, isUnreconciled, isNobodys } = quiet;
  return {
    application,
    severity: mayBeNobodys(quiet) ? 'warning' : 'info',
    since:
      earliest([...(isStill ? [clock.stillSince] : []), ...(isUnreconciled ? [clock.unreconciledSince] : [])]) ?? '',
    headline: headlineOf(application, { isUnreconciled, input }),
    finding: withLoss(
      isUnreconciled ? unreconciled(quiet, isStill) : standsStill(quiet, isNobodys),
      lossOf(application, input),
    ),
  };
}

/** Seconds for which a sync is believed to wait for its retry: whoever may write an Application may write any back-off
 *  into it, and would hide for ever that nothing happens. */
const believedWaitSeconds = 3600;

/** Until when nothing in it need change: Argo CD leaves an operation as it is until its retry is due, if it runs it. */
function movesAgainAt({ operation, operationQueued }: Application, { stillSince }: SyncClock): string {
  const retryAt = operationQueued ? operation?.retryAt : undefined;
  if (retryAt === undefined) return stillSince;
  const believed = earliest([retryAt, plusSeconds(new Date(stillSince), believedWaitSeconds)]);
  return latest([stillSince, believed]) ?? stillSince;
}

function headlineOf(
  application: Application,
  { isUnreconciled, input }: { readonly isUnreconciled: boolean; readonly input: JudgeInput },
): string {
  const name = toldName(application, input);
  if (isUnreconciled) return `no controller reconciles ${name}, which syncs`;
  return `sync of ${name} ${isBeforeRetry(application, input.now) ? 'waits long for its retry' : 'stands still'}`;
}

function isBeforeRetry({ operation, operationQueued }: Application, now: Date): boolean {
  return operationQueued && operation?.retryAt !== undefined && !isPast(operation.retryAt, now);
}

/** The retry that an operation waits for, with the number that Argo CD's message gives it (`Retrying attempt #1 at
 *  ...`): the count is raised when an attempt fails. Source: argo-cd controller/appcontroller.go. */
export function retryText({ retryCount, retryAt }: Operation, now: Date): string {
  const due = retryAt === undefined ? '' : `, which ${isPast(retryAt, now) ? 'was' : 'is'} due at ${retryAt}`;
  return `retry ${retryCount}${due}`;
}

interface Quiet extends QuietSync {
  /** What else keeps the pool paused, besides syncs that nobody seems to run either, and what a person does; empty:
   *  nothing. */
  readonly others: string;
  readonly state: PoolState;
  readonly input: JudgeInput;
}

function unreconciled(quiet: Quiet, isStill: boolean): Finding {
  const { application, clock, input } = quiet;
  const { now } = input;
  const { reconciledAt = 'never' } = application;
  const age = ageText(secondsSince(clock.unreconciledSince, now) * 1000);
  const other = isStill ? 'its operation has not changed either' : 'its operation changes all the same';
  return finding({
    code: 'A7',
    subject: applicationRef(application, input),
    sentence: `Application ${toldName(application, input)} is shown as syncing and keeps the pool paused, and no controller has compared it for ${age} (status.reconciledAt: ${quoted(reconciledAt, 40)}); ${other}.`,
    confidence: isStill ? 'strong' : 'likely',
    class: 'external',
    evidence: evidenceOf(application, input),
    remedies: [
      seeWho(application, input),
      remedy(
        'Check that the application controller runs and is responsible for it: application.namespaces and the AppProject list its namespace, and it has no annotation skip-reconcile',
      ),
      ...endIt(quiet),
    ],
  });
}

function standsStill(quiet: Quiet, isNobodys: boolean): Finding {
  const { application, clock, input } = quiet;
  const { now } = input;
  const age = ageText(secondsSince(clock.stillSince, now) * 1000);
  const why = isNobodys ? 'Argo CD does not run it: .operation is not set' : messageOf(application, now);
  return finding({
    code: 'A6',
    subject: applicationRef(application, input),
    sentence: `The sync of ${toldName(application, input)} keeps the pool paused, and nothing in it has changed for ${age}: ${why}.`,
    confidence: isNobodys ? 'strong' : 'certain',
    class: 'external',
    evidence: evidenceOf(application, input),
    remedies: [
      seeWho(application, input),
      ...(isNobodys
        ? []
        : [remedy('If it waits for something, fix that (see its message)', { who: 'application owner' })]),
      ...endIt(quiet),
    ],
  });
}

function messageOf({ operation }: Application, now: Date): string {
  const message = quoted(operation?.message || 'no message', 240);
  return operation !== undefined && waitsForRetry(operation)
    ? `it waits for ${retryText(operation, now)}: ${message}`
    : message;
}

function evidenceOf(application: Application, input: JudgeInput) {
  const of = applicationRef(application, input);
  const readAt = input.now.toISOString();
  const { operation, operationQueued, reconciledAt = 'never' } = application;
  return [
    evidence(of, 'status.operationState.phase', operation?.phase ?? 'none', readAt),
    evidence(of, 'status.operationState.startedAt', operation?.startedAt ?? 'none', readAt),
    evidence(of, 'operation', operationQueued ? 'set' : 'not set', readAt),
    evidence(of, 'status.reconciledAt', reconciledAt, readAt),
  ];
}

function seeWho(application: Application, input: JudgeInput): Remedy {
  const { namespace, name } = application;
  return remedy(`See who wrote status.operationState${inArgoCd(application, input)}, in managedFields`, {
    command: command(
      'oc',
      '-n',
      namespace,
      'get',
      kindWord('Application'),
      name,
      '-o',
      'yaml',
      '--show-managed-fields',
    ),
  });
}

/** The safest first. Neither happens by itself. */
function endIt({ application, others, state: { pool }, input }: Quiet): readonly Remedy[] {
  const { namespace, name } = application;
  return [
    remedy(`If Argo CD runs it and it must end: terminate it${inArgoCd(application, input)}`, {
      command: command('argocd', 'app', 'terminate-op', `${namespace}/${name}`),
      risk: 'low',
      who: 'application owner',
    }),
    others !== ''
      ? remedy(
          `If nobody runs it: resume the pool once nothing else holds it. A resume now would go past ${others}, too`,
        )
      : remedy(
          'If nobody runs it: resume the pool, which then rolls out what is pending, whatever its windows, approvals and other gates say',
          {
            command: poolCommand(
              'resume',
              { cluster: input.cluster, pool: pool.name },
              '--reason',
              `nobody syncs ${toldName(application, input)}`,
            ),
            risk: 'low',
          },
        ),
  ];
}
