import type { TimeoutAction } from './gate.ts';

/** A closed gate, as people see it. */
export interface GateView {
  readonly gate: string;
  readonly why: string;
  /** What was found, in a few words. */
  readonly value: string;
  /** What it has to be, in a few words. */
  readonly threshold: string;
  /** ISO instant since when this gate is closed; undefined: unknown, or it waits for a read. */
  readonly since: string | undefined;
  /** What opens it, in words. */
  readonly opens: string;
  /** Who may open it, in words. */
  readonly who: string;
  /** The command that opens it; absent: there is none. */
  readonly how?: string | undefined;
  /** ISO instant at which it opens by itself; absent: unknown. */
  readonly opensAt?: string | undefined;
  /** What people are asked to approve (`changeName`); absent: nobody is asked. */
  readonly approves?: string | undefined;
  /** Whose approval of it does not count, as in `approve.by`, because they pushed it; absent: nobody's. */
  readonly excludes?: readonly string[] | undefined;
  /** What happens if it stays closed, and from when on. */
  readonly timeout?: { readonly at: string; readonly action: TimeoutAction } | undefined;
  /** Nothing is known against it: it waits for a read, which is made once the other gates are open. */
  readonly unread?: true | undefined;
  /** It is closed because what it asks for could not be read: it may be open. */
  readonly isUnseen?: true | undefined;
  /** It has been closed past its timeout, and the action is `alert`. */
  readonly overdue?: true | undefined;
}

/** Of the window of a pool: that is closed, or its rollout does not fit into it. Both open by time. */
export function isOfWindow({ gate }: Pick<GateView, 'gate'>): boolean {
  return gate === 'window' || gate === 'fit';
}

/** Whether it is one of the gates that keep a pool; undefined: not known, as a hold keeps them from being asked, or
 *  another gate its calendar from being read.
 *  @param why nothing goes; undefined: nothing keeps it */
export function isOutsideWindow(closed: readonly GateView[], why: string | undefined): boolean | undefined {
  const ofWindow = closed.filter(isOfWindow);
  if (ofWindow.some(({ unread }) => unread !== true)) return true;
  const isAsked = closed.length > 0 || why === undefined;
  return isAsked && ofWindow.length === 0 ? false : undefined;
}
