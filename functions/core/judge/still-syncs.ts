import type { Application } from '../argocd/application.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Remedy, Severity } from '../findings/trouble.ts';
import { earliest, secondsSince } from '../text/instant.ts';
import { ageText, quoted } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import { heldApplication, inTurns, standingSyncHoldsOf } from './held-applications.ts';
import type { JudgeInput } from './input.ts';
import { lossOf, withLoss } from './lost-controller.ts';
import type { PoolState } from './pool-state.ts';
import type { SyncClock, SyncClocks } from './sync-clocks.ts';

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
  return inTurns(standingSyncHoldsOf(state)).flatMap((hold) => {
    const [application, clock] = [heldApplication(hold, input), clocks.get(hold.id)];
    return application === undefined || clock === undefined ? [] : (stillSync(application, clock, state, input) ?? []);
  });
}

function stillSync(
  application: Application,
  clock: SyncClock,
  state: PoolState,
  input: JudgeInput,
): StillSync | undefined {
  const lasted = (since: string) => secondsSince(since, input.now) >= input.policy.syncStillAtMostSeconds;
  const [isStill, isUnreconciled] = [lasted(clock.stillSince), lasted(clock.unreconciledSince)];
  if (!isStill && !isUnreconciled) return undefined;
  const name = `${application.namespace}/${application.name}`;
  // Argo CD removes `.operation` in the patch that ends it. Source: argo-cd controller, setOperationState.
  const isNobodys = !application.operationQueued;
  const quiet = { application, state, input, clock };
  return {
    application,
    severity: isStill && (isNobodys || isUnreconciled) ? 'warning' : 'info',
    since:
      earliest([...(isStill ? [clock.stillSince] : []), ...(isUnreconciled ? [clock.unreconciledSince] : [])]) ?? '',
    headline: isUnreconciled ? `no controller reconciles ${name}, which syncs` : `sync of ${name} stands still`,
    finding: withLoss(
      isUnreconciled ? unreconciled(quiet, isStill) : standsStill(quiet, isNobodys),
      lossOf(application, input),
    ),
  };
}

interface Quiet {
  readonly application: Application;
  readonly clock: SyncClock;
  readonly state: PoolState;
  readonly input: JudgeInput;
}

function unreconciled({ application, clock, state, input: { now } }: Quiet, isStill: boolean): Finding {
  const of = ref('Application', application.name, application.namespace);
  const { reconciledAt = 'never' } = application;
  const age = ageText(secondsSince(clock.unreconciledSince, now) * 1000);
  const other = isStill ? 'its operation has not changed either' : 'its operation changes all the same';
  return finding({
    code: 'A7',
    subject: of,
    sentence: `Application ${of.namespace}/${of.name} is shown as syncing and keeps the pool paused, and no controller has compared it for ${age} (status.reconciledAt: ${quoted(reconciledAt, 40)}); ${other}.`,
    confidence: isStill ? 'strong' : 'likely',
    class: 'external',
    evidence: evidenceOf(application, now),
    remedies: [
      seeWho(application),
      remedy(
        'Check that the application controller runs and is responsible for it: application.namespaces and the AppProject list its namespace, and it has no annotation skip-reconcile',
      ),
      ...endIt(application, state),
    ],
  });
}

function standsStill({ application, clock, state, input: { now } }: Quiet, isNobodys: boolean): Finding {
  const of = ref('Application', application.name, application.namespace);
  const age = ageText(secondsSince(clock.stillSince, now) * 1000);
  const message = quoted(application.operation?.message || 'no message', 240);
  const why = isNobodys ? 'Argo CD does not run it: .operation is not set' : message;
  return finding({
    code: 'A6',
    subject: of,
    sentence: `The sync of ${of.namespace}/${of.name} keeps the pool paused, and nothing in it has changed for ${age}: ${why}.`,
    confidence: isNobodys ? 'strong' : 'certain',
    class: 'external',
    evidence: evidenceOf(application, now),
    remedies: [
      seeWho(application),
      ...(isNobodys
        ? []
        : [remedy('If it waits for something, fix that (see its message)', { who: 'application owner' })]),
      ...endIt(application, state),
    ],
  });
}

function evidenceOf(application: Application, now: Date) {
  const of = ref('Application', application.name, application.namespace);
  const readAt = now.toISOString();
  const { operation, operationQueued, reconciledAt = 'never' } = application;
  return [
    evidence(of, 'status.operationState.phase', operation?.phase ?? 'none', readAt),
    evidence(of, 'status.operationState.startedAt', operation?.startedAt ?? 'none', readAt),
    evidence(of, 'operation', operationQueued ? 'set' : 'not set', readAt),
    evidence(of, 'status.reconciledAt', reconciledAt, readAt),
  ];
}

function seeWho({ namespace, name }: Application): Remedy {
  return remedy('See who wrote status.operationState, in managedFields', {
    command: command(
      'oc',
      '-n',
      namespace,
      'get',
      'applications.argoproj.io',
      name,
      '-o',
      'yaml',
      '--show-managed-fields',
    ),
  });
}

/** The safest first. Neither happens by itself. */
function endIt({ namespace, name }: Application, { pool }: PoolState): readonly Remedy[] {
  return [
    remedy('If Argo CD runs it and it must end: terminate it', {
      command: command('argocd', 'app', 'terminate-op', `${namespace}/${name}`),
      risk: 'low',
      who: 'application owner',
    }),
    remedy('If nobody runs it: resume the pool, which then rolls out what is pending', {
      command: command(
        'npx',
        'poolkeeper',
        'resume',
        '--pool',
        pool.name,
        '--reason',
        `nobody syncs ${namespace}/${name}`,
      ),
      risk: 'low',
    }),
  ];
}
