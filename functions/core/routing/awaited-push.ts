import type { Hold } from '../openshift/hold.ts';

/** A push that an automated sync of this Application will follow. */
export interface Push {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit it brought; undefined: a commit is not what is waited for (the push deleted a tag, or is of another
   *  Application). */
  readonly revision: string | undefined;
  /** Commit that stood there before; absent: not told. */
  readonly before?: string | undefined;
  /** Why the push concerns the Application and what it is expected to change, in words for people. */
  readonly because?: string | undefined;
  /** The Application that writes this one's spec and is concerned itself. */
  readonly via?: Hold['via'];
}
