import { freezeManually, thawManually } from '../../../../../functions/core/holds/manual-freeze.ts';
import type { ManualChange } from '../../../../../functions/core/holds/manual-hold.ts';
import { fieldManager } from '../../../../../functions/core/openshift/hold.ts';
import type { Pool } from '../../../../../functions/core/openshift/pool.ts';
import { afterHours, authorOf, withAsked, withPool } from './changes.ts';
import { type Happening, nodeActs } from './node-acts.ts';
import { poolShown } from './readings.ts';
import { hour, isFrozen, type Scene, type State } from './state.ts';

const poolActs = {
  /** It is to have another config. */
  render: {
    isPossible: () => true,
    after: (state, of) => withPool(state, of, (pool) => ({ ...pool, target: pool.target + 1 })),
  },
  revert: {
    isPossible: ({ pools }, of) => (pools[of]?.target ?? 0) > 1,
    after: (state, of) => withPool(state, of, (pool) => ({ ...pool, target: pool.target - 1 })),
  },
  freeze: {
    isPossible: (state, of) => !isFrozen(of, state),
    after: (state, of) => {
      const freeze = { scope: 'pool' as const, until: new Date(state.at + 240 * hour) };
      return byHand(of, state, (pool) => freezeManually(pool, freeze, requestAt(state)));
    },
  },
  thaw: {
    isPossible: (state, of) => isFrozen(of, state),
    after: (state, of) => byHand(of, state, (pool) => thawManually(pool, { scope: 'pool' }, requestAt(state))),
  },
  /** By somebody's `oc patch`. */
  resume: {
    isPossible: ({ pools }, of) => pools[of]?.paused === true,
    after: (state, of) =>
      withPool(state, of, (pool) => ({ ...pool, paused: false, pausedBy: authorOf('kubectl-patch', state) })),
  },
} as const satisfies Readonly<Record<string, Happening>>;

/** What people ask of the run, a moment, and hours in which nobody looks. */
const runActs = {
  pause: {
    isPossible: ({ record }) => record.paused === undefined && record.aborted === undefined,
    after: (state) => withAsked(state, (said) => ({ kind: 'pause', said })),
  },
  'go on': {
    isPossible: ({ record, told }) =>
      record.paused !== undefined || told.some(({ kind }) => kind === 'moved' || kind === 'canary'),
    after: (state) => withAsked(state, (said) => ({ kind: 'go-on', said })),
  },
  abort: {
    isPossible: ({ record }) => record.aborted === undefined,
    after: (state) => withAsked(state, (said) => ({ kind: 'abort', said })),
  },
  start: {
    isPossible: ({ record }) => record.aborted !== undefined,
    after: (state) => withAsked(state, (said) => ({ kind: 'start', said })),
  },
  moment: { isPossible: () => true, after: (state) => state },
  hours: { isPossible: () => true, after: (state, _, scene) => afterHours(state, scene) },
} as const satisfies Readonly<Record<string, Happening>>;

export type NodeAct = keyof typeof nodeActs;
export type PoolAct = keyof typeof poolActs;
export type RunAct = keyof typeof runActs;

export interface Act {
  readonly did: NodeAct | PoolAct | RunAct;
  /** A node or a pool; absent: the run. */
  readonly of?: string;
}

const acts: Readonly<Record<Act['did'], Happening>> = { ...nodeActs, ...poolActs, ...runActs };

/** Whether this can happen now. */
export function isPossible({ did, of = '' }: Act, state: State): boolean {
  return acts[did].isPossible(state, of);
}

export function happened({ did, of = '' }: Act, state: State, scene: Scene): State {
  return acts[did].after(state, of, scene);
}

/** A person asks for it on the page, and it is written at once. */
function byHand(name: string, state: State, ask: (pool: Pool) => ManualChange): State {
  const { paused, record } = ask(poolShown(name, state));
  const pause = paused === undefined ? {} : { paused, pausedBy: authorOf(fieldManager, state) };
  return withPool(state, name, (pool) => ({ ...pool, ...pause, record: record ?? pool.record }));
}

function requestAt({ at }: State) {
  return { who: 'anna', why: 'quarter end', now: new Date(at) };
}
