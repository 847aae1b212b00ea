import type { RunProgress } from '../../core/node-turns/run-progress.ts';
import type { RunProblem } from '../../core/node-turns/run-question.ts';
import type { Transient } from '../../core/text/errors.ts';
import type { WrittenPass } from '../pass-state.ts';
import type { NodeGates } from './node-gates.ts';
import type { ObservedRuns } from './observe-runs.ts';

/** What a look at one run came to. */
export interface KeptRun {
  readonly run: string;
  readonly problems: readonly RunProblem[];
  readonly isMoving: boolean;
  readonly progress?: string;
  /** Undefined: nobody is told how far it is. */
  readonly message?: RunProgress | undefined;
  /** Why it could not be looked at just now; undefined: it was. */
  readonly unseen?: string | undefined;
  /** Why a step of it could not be done just now; undefined: all were. */
  readonly undone?: Pick<RunProblem, 'node' | 'why' | 'maySkip'> | undefined;
  /** Of its pools that were asked about. */
  readonly gates?: ReadonlyMap<string, NodeGates>;
  /** As in `KeptRuns`. */
  readonly places?: ReadonlyMap<string, number>;
}

/** One pass over a cluster. */
export interface Looking {
  readonly observed: ObservedRuns;
  readonly written: WrittenPass;
}

/** What the next tick may find mended; anything else is told at once. */
export const mayPass: readonly Transient['kind'][] = ['conflict', 'unreachable', 'busy', 'unknown'];
