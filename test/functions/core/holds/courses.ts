import type { Application, ObservedApplication, Operation } from '../../../../functions/core/argocd/application.ts';
import { defaultPoolSettings } from '../../../../functions/core/configuration/cluster.ts';
import type { Policy } from '../../../../functions/core/configuration/policy.ts';
import { advanceHolds } from '../../../../functions/core/holds/next-holds.ts';
import { syncHoldId } from '../../../../functions/core/openshift/hold.ts';
import { emptyRecord, type PoolRecord } from '../../../../functions/core/openshift/pool-record.ts';
import type { Push } from '../../../../functions/core/routing/awaited-push.ts';
import { anApplication, anOperation, aPool } from '../../../fakes/index.ts';
import { aSnapshot } from './a-snapshot.ts';

/** What may happen to an Application: a push of the next commit, or of one that reverts the last; a sync that begins,
 *  of that commit or the one before it, and writes its first wave; one that a window holds back, which writes it once
 *  the window is open; one of a part that is none of the pool's; another try; the end, which writes the last wave if it
 *  ends well, or is cut off before that; its destination changed; itself replaced by another one of its name; a dry
 *  run; and half a day in which nothing happens. The level of the pool may refuse the last wave, or all of a sync. */
export type Act =
  | 'push'
  | 'revert'
  | 'begin'
  | 'begin the earlier'
  | 'ask'
  | 'open'
  | 'part'
  | 'retry'
  | 'succeed'
  | 'fail'
  | 'be cut off'
  | 'refuse'
  | 'be refused'
  | 'move'
  | 'replace'
  | 'dry run'
  | 'wait';

/** One act, and whether a pass looks at the cluster before the next. */
export interface Step {
  readonly act: Act;
  readonly isLookedAt: boolean;
}

interface Running {
  readonly startedAt: string;
  readonly retryCount: number;
  readonly commit: number;
  readonly isPart: boolean;
  readonly isHeldBack: boolean;
}

type Place = 'here' | 'there';

/** Which content each of the two waves on a cluster has. */
interface Content {
  readonly first: number;
  readonly last: number;
}

/** What is so after some acts, and what the record of the pool on the cluster `here` says of it. */
export interface State {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly head: number;
  /** The content of each commit, by its number; one that reverts another has the content of the one before that. */
  readonly contents: readonly number[];
  readonly place: Place;
  readonly uid: number;
  readonly running: Running | undefined;
  readonly ended: Operation | undefined;
  readonly succeeded: NonNullable<Application['succeeded']>;
  readonly content: Readonly<Record<Place, Content>>;
  readonly comparedAt: number;
  /** A sync began elsewhere while nothing held the pool, or between two looks, elsewhere or while nothing held it: no
   *  look has met it there. */
  readonly hasBegunUnseen: boolean;
  readonly record: PoolRecord;
}

const home = anApplication();
const id = syncHoldId(home);
const configMap = { group: '', kind: 'ConfigMap', namespace: 'web', name: 'web' };
const refusal =
  "ValidatingAdmissionPolicy 'poolkeeper-pause-first' with binding 'b' denied request: pool worker is not paused yet: x";
const machineConfig = { group: 'machineconfiguration.openshift.io', kind: 'MachineConfig', namespace: '' };
const firstCommit = 1;

export const start: State = {
  at: Date.parse('2026-03-02T10:00:00Z'),
  head: firstCommit,
  contents: [0, firstCommit],
  place: 'here',
  uid: 1,
  running: undefined,
  ended: undefined,
  succeeded: [],
  content: { here: { first: firstCommit, last: firstCommit }, there: { first: 0, last: 0 } },
  comparedAt: Date.parse('2026-03-02T09:59:00Z'),
  hasBegunUnseen: false,
  record: emptyRecord,
};

/** Whether Argo CD lets this happen now: it runs one operation at a time. */
export function isPossible(act: Act, { running, head }: State): boolean {
  const begins: readonly Act[] = ['begin', 'begin the earlier', 'ask', 'part', 'dry run', 'be refused'];
  if (begins.includes(act)) return running === undefined && (act !== 'begin the earlier' || head > firstCommit);
  if (act === 'open') return running?.isHeldBack === true;
  if (act === 'retry' || act === 'succeed') return running?.isHeldBack === false;
  if (act === 'revert') return head > firstCommit;
  if (act === 'refuse' || act === 'be cut off') return running?.isHeldBack === false && !running.isPart;
  if (act === 'fail') return running !== undefined;
  return true;
}

/** The state after a step. */
export function next({ act, isLookedAt }: Step, before: State, policy: Policy): State {
  const state = after(act, before);
  const isUnmet = before.place === 'there' || before.record.holds.length === 0;
  if (!isLookedAt && act.startsWith('begin') && isUnmet) return { ...state, hasBegunUnseen: true };
  if (!isLookedAt) return state;
  const push = { at: new Date(state.at).toISOString(), revision: sha(state.head), before: sha(state.head - 1) };
  return look(state, policy, act === 'push' || act === 'revert' ? push : undefined);
}

/** After as many hours as no clock of a policy outlasts, with looks in between. */
export function settle(state: State, policy: Policy): State {
  let now = state;
  for (let nth = 0; nth < 3; nth += 1) now = look({ ...now, at: now.at + 7_200_000 }, policy);
  return now;
}

/** The pool is held, or what it rolls out waits for an approval. */
export function waits({ record }: State): boolean {
  return record.holds.length > 0 || record.release?.afterFailed?.includes(id) === true;
}

/** One wave here has the content of another commit than the other. */
export function isHalfApplied({ content: { here } }: State): boolean {
  return here.first !== here.last;
}

function after(act: Act, before: State): State {
  const state = { ...before, at: before.at + 20_000 };
  const { running } = state;
  switch (act) {
    case 'push':
      return pushed(state, Math.max(...state.contents) + 1);
    case 'revert':
      return pushed(state, contentOf(state, state.head - 1));
    case 'begin':
      return { ...begun(state, state.head), content: written(state, state.head, 'first') };
    case 'begin the earlier':
      return { ...begun(state, state.head - 1), content: written(state, state.head - 1, 'first') };
    case 'ask':
      return begun(state, state.head, { isHeldBack: true });
    case 'part':
      return begun(state, state.head, { isPart: true });
    case 'move':
      return { ...state, place: state.place === 'here' ? 'there' : 'here' };
    case 'replace':
      return { ...state, uid: state.uid + 1, running: undefined, ended: undefined, succeeded: [] };
    case 'dry run':
      return { ...state, ended: dryRun(state) };
    case 'be refused':
      return { ...state, ended: refused({ startedAt: second(state.at), commit: state.head }, false, state.at) };
    case 'wait':
      return { ...state, at: state.at + 12 * 3_600_000 };
    default:
      return running === undefined ? state : { ...state, ...goneOn(act, running, state) };
  }
}

function pushed(state: State, content: number): State {
  return { ...state, head: state.head + 1, contents: [...state.contents, content] };
}

function contentOf({ contents }: State, commit: number): number {
  return contents[commit] ?? 0;
}

function begun(
  state: State,
  commit: number,
  { isPart = false, isHeldBack = false }: Partial<Pick<Running, 'isPart' | 'isHeldBack'>> = {},
): State {
  const { at, place, record } = state;
  const hasBegunUnseen = state.hasBegunUnseen || (place === 'there' && record.holds.length === 0);
  return { ...state, hasBegunUnseen, running: { startedAt: second(at), retryCount: 0, commit, isPart, isHeldBack } };
}

function goneOn(
  act: 'open' | 'retry' | 'succeed' | 'fail' | 'be cut off' | 'refuse',
  running: Running,
  state: State,
): Partial<State> {
  const { commit, isPart } = running;
  if (act === 'open') return { running: { ...running, isHeldBack: false }, content: written(state, commit, 'first') };
  if (act === 'retry') {
    const content = isPart ? state.content : written(state, commit, 'first');
    return { running: { ...running, retryCount: running.retryCount + 1 }, content };
  }
  if (act === 'refuse') return { running: undefined, ended: refused(running, true, state.at) };
  if (act === 'be cut off') return { running: undefined, ended: cutOff(running, state.at) };
  const isWhole = act === 'succeed' && !isPart;
  return {
    running: undefined,
    ended: operationOf(running, act === 'succeed' ? 'Succeeded' : 'Failed', state.at),
    succeeded: isWhole
      ? [...state.succeeded, { startedAt: running.startedAt, revisions: [sha(commit)] }]
      : state.succeeded,
    content: isWhole ? written(state, commit, 'last') : state.content,
  };
}

function written(state: State, commit: number, wave: keyof Content): State['content'] {
  const { content, place } = state;
  return { ...content, [place]: { ...content[place], [wave]: contentOf(state, commit) } };
}

function operationOf(
  { startedAt, retryCount, commit, isPart, isHeldBack }: Running,
  phase: Operation['phase'],
  at: number,
) {
  const object = isPart ? configMap : { ...machineConfig, name: '99-worker-ssh' };
  const status = phase === 'Failed' ? 'SyncFailed' : 'Synced';
  const isOver = phase !== 'Running';
  return anOperation({
    phase,
    message: isHeldBack && !isOver ? 'Sync operation blocked by sync window' : '',
    startedAt,
    finishedAt: isOver ? second(at) : undefined,
    retryCount,
    revisions: [sha(commit)],
    partial: isPart,
    ...(isPart ? { asked: [configMap] } : {}),
    results: isOver ? [{ ...object, status, message: '', hookType: '' }] : [],
  });
}

function refused(running: Pick<Running, 'startedAt' | 'commit'>, isFirstWritten: boolean, at: number): Operation {
  const status = (isWritten: boolean) =>
    isWritten ? { status: 'Synced', message: 'configured' } : { status: 'SyncFailed', message: refusal };
  const first = { ...machineConfig, name: '99-worker-ssh', hookType: '', ...status(isFirstWritten) };
  const last = { ...machineConfig, name: '99-worker-last', hookType: '', ...status(false) };
  return anOperation({
    phase: 'Failed',
    startedAt: running.startedAt,
    finishedAt: second(at),
    revisions: [sha(running.commit)],
    results: isFirstWritten ? [first, last] : [first],
  });
}

/** Of the second wave it says nothing. */
function cutOff(running: Running, at: number): Operation {
  const first = { ...machineConfig, name: '99-worker-ssh', status: 'Synced', message: 'configured', hookType: '' };
  const operation = operationOf(running, 'Failed', at);
  return { ...operation, message: 'Operation terminated', results: [first] };
}

function dryRun({ at, head }: State): Operation {
  const [startedAt, finishedAt] = [second(at), second(at + 1000)];
  return anOperation({ dryRun: true, startedAt, finishedAt, revisions: [sha(head)], results: [] });
}

/** Half a minute later Argo CD has compared what it does not sync, and a pass looks at the cluster. */
function look(before: State, policy: Policy, push?: Push): State {
  const at = before.at + 30_000;
  const state = { ...before, at, comparedAt: before.running === undefined ? at - 10_000 : before.comparedAt };
  const { place, record } = state;
  const pool = aPool({ paused: record.holds.length > 0 });
  const { settings } = aSnapshot({ pools: [] });
  const snapshot = aSnapshot({
    settings: { ...settings, policy, pools: { worker: { ...defaultPoolSettings, protection: 'admission' } } },
    pools: [pool],
    applications: place === 'here' || record.holds.length > 0 ? [observed(state)] : [],
    pushes: new Map(push === undefined || place === 'there' ? [] : [[id, push]]),
  });
  return { ...state, record: advanceHolds(record, pool, snapshot, new Date(at)).record };
}

function observed(state: State): ObservedApplication {
  const { place, running, content, head } = state;
  const statusOf = (wave: number) => (wave === contentOf(state, head) ? 'Synced' : 'OutOfSync');
  const { first, last } = content[place];
  const resources = [
    { ...machineConfig, name: '99-worker-ssh', status: statusOf(first) },
    { ...machineConfig, name: '99-worker-last', status: statusOf(last) },
  ];
  const status = resources.every((each) => each.status === 'Synced') ? 'Synced' : 'OutOfSync';
  const application: Application = {
    ...home,
    uid: `uid-${state.uid}`,
    destination: place === 'here' ? home.destination : { server: '', name: 'dev' },
    sync: { status, revisions: [sha(head)] },
    resources,
    reconciledAt: second(state.comparedAt),
    operationQueued: running !== undefined,
    operation: running === undefined ? state.ended : operationOf(running, 'Running', state.at),
    succeeded: state.succeeded,
  };
  if (place === 'here') return { kind: 'seen', application };
  const { argocd, namespace, name } = application;
  return { kind: 'gone', ref: { argocd, namespace, name }, elsewhere: { cluster: 'dev', application } };
}

function sha(commit: number): string {
  return `${commit}`.padStart(40, '0');
}

/** Of Argo CD's clock, which counts whole seconds. */
function second(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');
}
