import type { Hold } from '../openshift/hold.ts';

/** A push that a sync of this Application will follow, if that is automated. */
export interface Push {
  /** ISO instant of its receipt. */
  readonly at: string;
  /** Commit of the push; undefined: not waiting for a commit (the push deleted a tag, or is of another Application). */
  readonly revision: string | undefined;
  /** Commit that an annotated tag names, of which `revision` is the tag itself: Argo CD reports either, the tag of
   *  Applications with several sources. Source: argo-cd reposerver/repository/repository.go. Absent: `revision` is the
   *  commit. */
  readonly commit?: string | undefined;
  /** Commit before the push; absent: unknown. */
  readonly before?: string | undefined;
  /** It moved the branch to a commit that does not follow the one before; absent: it did not. */
  readonly forced?: boolean | undefined;
  /** A sync will follow though the Application is not automated, or not yet; absent: that is not known. */
  readonly isFollowed?: true | undefined;
  /** Why the push concerns the Application and what it is expected to change, for people. */
  readonly because?: string | undefined;
  /** The Application that writes this one's spec and is itself concerned. */
  readonly via?: Hold['via'];
  /** All that are concerned and claim to write its spec; absent: `via` alone. */
  readonly claimants?: readonly NonNullable<Hold['via']>[] | undefined;
  /** It was received before, and Argo CD did not get it then: what was paused for it may be resumed. */
  readonly isGivenLater?: true | undefined;
  /** No push: Argo CD would sync it by itself if its guard were open. */
  readonly behindGuard?: true | undefined;
}
