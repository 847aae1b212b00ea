import type { GuardChange, WaitingGuard } from '../../core/guard/plan-project.ts';

/** What a pass did with the guards of its cluster. */
export interface KeptGuards {
  readonly changes: readonly (GuardChange & { readonly project: string; readonly version: string })[];
  readonly waiting: readonly WaitingGuard[];
  /** When the last guard was opened whose sync has not begun; undefined: there is none. */
  readonly openedAt: string | undefined;
  /** AppProjects that could not be read or written, and why. */
  readonly failures: readonly { readonly project: string; readonly why: string }[];
  /** Some Application of the cluster is guarded; undefined: not known. */
  readonly exist: boolean | undefined;
}
