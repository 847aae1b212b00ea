import { Transient } from '../../functions/core/text/errors.ts';

/** Every call that a fake answers, named port.method. */
export type Op =
  | 'pools.list'
  | 'pools.read'
  | 'pools.patch'
  | 'pools.nodes'
  | 'pools.machineConfigs'
  | 'pools.announce'
  | 'argocd.list'
  | 'argocd.count'
  | 'argocd.read'
  | 'argocd.listSets'
  | 'argocd.startAgain'
  | 'argocd.projects'
  | 'argocd.project'
  | 'argocd.writeGuards'
  | 'argocd.refresh'
  | 'argocd.controllerNodes'
  | 'argocd.controllerPods'
  | 'reader.read'
  | 'renderings.sources'
  | 'renderings.contents'
  | 'renderings.circumstances'
  | 'renderings.choosers'
  | 'renderings.images'
  | 'approvals.list'
  | 'approvals.save'
  | 'timeline.append'
  | 'timeline.latest'
  | 'joint.load'
  | 'joint.save'
  | 'paces.load'
  | 'paces.save'
  | 'locks.load'
  | 'locks.save'
  | 'places.load'
  | 'places.save'
  | 'keptCalendars.load'
  | 'keptCalendars.save'
  | 'races.load'
  | 'races.find'
  | 'races.save'
  | 'views.save'
  | 'views.load'
  | 'views.list'
  | 'ruleCallbacks.load'
  | 'ruleCallbacks.save'
  | 'runViews.save'
  | 'runViews.list'
  | 'sequenceViews.save'
  | 'sequenceViews.list'
  | 'askedRequests.load'
  | 'askedRequests.save'
  | 'sequenceRequests.save'
  | 'sequenceRequests.list'
  | 'memories.load'
  | 'memories.save'
  | 'routes.load'
  | 'routes.save'
  | 'incidents.load'
  | 'incidents.loadOne'
  | 'incidents.save'
  | 'incidents.nextNumber'
  | 'incidents.list'
  | 'nodeRollouts.load'
  | 'nodeRollouts.save'
  | 'nodeRollouts.keep'
  | 'nodeRollouts.ended'
  | 'work.send'
  | 'alerts.send'
  | 'bus.publish';

/** Calls that leave something behind: the points between which a process can die. */
const effectOps: ReadonlySet<Op> = new Set([
  'pools.patch',
  'pools.announce',
  'argocd.writeGuards',
  'argocd.refresh',
  'approvals.save',
  'timeline.append',
  'joint.save',
  'paces.save',
  'locks.save',
  'places.save',
  'keptCalendars.save',
  'races.save',
  'views.save',
  'ruleCallbacks.save',
  'runViews.save',
  'sequenceViews.save',
  'askedRequests.load',
  'askedRequests.save',
  'sequenceRequests.save',
  'memories.save',
  'nodeRollouts.save',
  'nodeRollouts.keep',
  'routes.save',
  'incidents.save',
  'incidents.nextNumber',
  'work.send',
  'alerts.send',
  'bus.publish',
]);

export interface Call {
  readonly op: Op;
  /** Which call of this op it is since the last `forget`, from 1. */
  readonly nth: number;
  /** Which effect it is, from 0; undefined for reads. */
  readonly effect: number | undefined;
}

export type Fault =
  /** The call throws: `before` nothing was done, `after` it was done and the answer got lost. */
  | { readonly kind: 'fail'; readonly when: 'before' | 'after'; readonly error: Error }
  /** The process dies: this call and every later one throws Crashed until `restart`. */
  | { readonly kind: 'crash'; readonly when: 'before' | 'after' }
  /** Somebody else acts just before the call: another writer, a vanished pool. */
  | { readonly kind: 'meanwhile'; readonly act: () => void };

/** What a dead process's calls throw. Code that swallows it does not matter: each further call throws it again. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}

export interface Faults {
  /** Every call that was begun, oldest first. */
  readonly calls: readonly Call[];
  /** Number of effects begun since the last `forget`. */
  effects(): number;
  /** Asks `rule` at each call; the first rule that answers decides. Returns how to undo. */
  on(rule: (call: Call) => Fault | undefined): () => void;
  /** The nth call (from 1, counted since the last `forget`) of `op` throws; by default Transient `unreachable`
   *  before it had an effect. */
  failNth(op: Op, nth: number, options?: { readonly error?: Error; readonly when?: 'before' | 'after' }): void;
  /** Every call of these ops fails until the returned function is called. */
  failAll(ops: readonly Op[], error?: Error): () => void;
  /** Another writer acts just before the nth call of `op`. */
  meanwhile(op: Op, nth: number, act: () => void): void;
  /** The process dies before or after its effect number `effect` (from 0). */
  crashAtEffect(effect: number, when: 'before' | 'after'): void;
  readonly crashed: boolean;
  /** The process comes back; stored state is as the crash left it. Rules stay, counts go on. */
  restart(): void;
  /** Removes all rules and counts; a dead process stays dead. */
  forget(): void;
  /** For fakes: runs one call under the rules. */
  run<T>(op: Op, act: () => T): Promise<T>;
}

/** One set of fault rules, shared by all fakes of a test so that calls and effects are counted across ports. */
export function createFaults(): Faults {
  let rules: ((call: Call) => Fault | undefined)[] = [];
  let calls: Call[] = [];
  let effects = 0;
  let crashed = false;
  const nths = new Map<Op, number>();

  function begin(op: Op): Call {
    const nth = (nths.get(op) ?? 0) + 1;
    nths.set(op, nth);
    const call: Call = { op, nth, effect: effectOps.has(op) ? effects++ : undefined };
    calls.push(call);
    return call;
  }

  function trip(fault: Fault, when: 'before' | 'after'): void {
    if (fault.kind === 'meanwhile') {
      if (when === 'before') fault.act();
      return;
    }
    if (fault.when !== when) return;
    if (fault.kind === 'fail') throw fault.error;
    crashed = true;
    throw new Crashed('the process died here');
  }

  function on(rule: (call: Call) => Fault | undefined): () => void {
    rules.push(rule);
    return () => {
      rules = rules.filter((each) => each !== rule);
    };
  }

  return {
    get calls() {
      return calls;
    },
    effects: () => effects,
    on,
    failNth(op, nth, { error = unreachable(op), when = 'before' } = {}) {
      on((call) => (call.op === op && call.nth === nth ? { kind: 'fail', when, error } : undefined));
    },
    failAll(ops, error) {
      return on((call) =>
        ops.includes(call.op) ? { kind: 'fail', when: 'before', error: error ?? unreachable(call.op) } : undefined,
      );
    },
    meanwhile(op, nth, act) {
      on((call) => (call.op === op && call.nth === nth ? { kind: 'meanwhile', act } : undefined));
    },
    crashAtEffect(effect, when) {
      on((call) => (call.effect === effect ? { kind: 'crash', when } : undefined));
    },
    get crashed() {
      return crashed;
    },
    restart() {
      crashed = false;
    },
    forget() {
      rules = [];
      calls = [];
      effects = 0;
      nths.clear();
    },
    async run(op, act) {
      if (crashed) throw new Crashed('the process is dead');
      const call = begin(op);
      const fault = rules.map((rule) => rule(call)).find((each) => each !== undefined);
      if (fault !== undefined) trip(fault, 'before');
      const answer = act();
      if (fault !== undefined) trip(fault, 'after');
      return answer;
    },
  };
}

function unreachable(op: Op): Transient {
  return new Transient(`${op}: made to fail by the test`, { kind: 'unreachable' });
}
