import { asPrinted } from '../text/shell-words.ts';
import type { TimeoutAction } from './gate.ts';
import type { GateView } from './gate-view.ts';

/** One thing that keeps a pool paused, or a sync from beginning, as every surface tells it: a closed gate, a hold,
 *  somebody else's pause, or a guard. */
export interface Wait extends Omit<GateView, 'gate' | 'unread' | 'overdue' | 'approves' | 'excludes'> {
  readonly kind: 'gate' | 'hold' | 'pause' | 'guard';
  /** Name of the gate, holder of the hold, author of the pause, Application behind the guard. */
  readonly name: string;
}

/** What is told of a wait, under its label. Instants are ISO: each surface shows them in its own form. */
export interface WaitFact {
  readonly label: string;
  readonly value: string;
}

export function waitOfGate({ gate, ...view }: GateView): Wait {
  const { unread: _unread, overdue: _overdue, approves: _approves, excludes: _excludes, ...shown } = view;
  return { kind: 'gate', name: gate, ...shown };
}

/** `Gate window`, `Hold of openshift-gitops/nodes`, `Pause by kubectl-patch`. */
export function waitTitle({ kind, name }: Pick<Wait, 'kind' | 'name'>): string {
  switch (kind) {
    case 'gate':
      return `Gate ${name}`;
    case 'hold':
      return `Hold of ${name}`;
    case 'pause':
      return `Pause by ${name}`;
    case 'guard':
      return `Guard of ${name}`;
    default:
      return kind satisfies never;
  }
}

/** Everything about a wait besides why, in the order in which people ask. The page, the command line, messages and
 *  comments show these and no other words. */
export function waitFacts(wait: Wait): readonly WaitFact[] {
  const { value, threshold, since, opens, opensAt, who, how } = wait;
  const command = how === undefined ? undefined : asPrinted(how);
  const opensBy = opensAt === undefined || opens.includes(opensAt) ? opens : `${opens}, at ${opensAt}`;
  return [
    { label: 'Found', value },
    { label: 'Needed', value: threshold },
    ...(since === undefined ? [] : [{ label: 'Since', value: since }]),
    { label: 'Opens', value: opensBy },
    { label: 'Who can open it', value: who },
    ...(command === undefined ? [] : [{ label: 'Command', value: command }]),
    ...timeoutFact(wait),
  ];
}

function timeoutFact({ timeout, kind }: Wait): readonly WaitFact[] {
  if (timeout === undefined || timeout.action === 'wait') return [];
  return [{ label: 'If it lasts', value: `at ${timeout.at} ${timeoutWords(timeout.action, kind)}` }];
}

function timeoutWords(action: Exclude<TimeoutAction, 'wait'>, kind: Wait['kind']): string {
  switch (action) {
    case 'alert':
      return kind === 'guard'
        ? 'an alert is sent, and the sync waits on'
        : 'an alert is sent, and the pool stays paused';
    case 'resume':
      return kind === 'gate' ? 'this gate is skipped' : 'this hold ends';
    case 'drop':
      return 'Poolkeeper gives the pool up: it stays paused until a person resumes it';
    default:
      return action satisfies never;
  }
}

/** The same on one line: `Gate window: why. Found: ...; needed: ...`. */
export function waitSentence(wait: Wait): string {
  const facts = waitFacts(wait).map(({ label, value }) => `${label}: ${value}`);
  return `${waitTitle(wait)}: ${wait.why}. ${facts.join('; ')}.`;
}
