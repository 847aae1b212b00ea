/** Seconds. A pause is confirmed within seconds, a refresh is answered within a second, and an alert about a sync that
 *  does not move is sent within 10 min as well. */
export const guardStuckAfterSeconds = 600;

/** An Application as its owner is found by it. */
export interface ToldApplication {
  /** `<namespace>/<name>`. */
  readonly application: string;
  /** Of one in Argo CD's own namespace: its AppProject. */
  readonly project?: string | undefined;
}

/** Why guards of a cluster are not as they should be, as one pass saw it. */
export type GuardProblem =
  /** An AppProject that cannot be read or written, or all of them that cannot be listed: `project` is empty then. */
  | {
      readonly kind: 'unkept';
      readonly namespace: string;
      readonly project: string;
      readonly why: string;
      /** Waiting may help. */
      readonly mayPass: boolean;
      /** The command that has its record written anew, where that cannot be read. */
      readonly how?: string | undefined;
    }
  /** Applications for whose guards the record of their AppProject has no room: their syncs are not held back. */
  | { readonly kind: 'no-room'; readonly project: string; readonly applications: readonly ToldApplication[] }
  /** Applications whose syncs are awaited, and whose AppProject does not exist: they may name any text. */
  | { readonly kind: 'no-project'; readonly project: string; readonly applications: readonly ToldApplication[] }
  /** A sync waits for it. */
  | (ToldApplication & {
      readonly kind: 'closed';
      readonly pools: readonly string[];
      readonly why: string;
      /** It may wait for its turn in a sequence that cannot be read. */
      readonly isTurnUnread?: boolean | undefined;
      /** Cluster to which its Application is pointed now, whose guard it waits for; absent: it deploys to this one. */
      readonly elsewhere?: string | undefined;
      /** The command that opens it without Poolkeeper. */
      readonly how?: string | undefined;
    })
  /** Applications without a guard whose syncs wait: the window of a guarded one of their name holds them back too. */
  | {
      readonly kind: 'held-too';
      readonly project: string;
      readonly applications: readonly ToldApplication[];
      /** The guarded ones. */
      readonly by: readonly string[];
    }
  /** Guards of another cluster that has the name of this one, which another Poolkeeper keeps. */
  | {
      readonly kind: 'same-name';
      readonly namespace: string;
      readonly project: string;
      readonly applications: readonly string[];
      /** The command that forgets them, where nobody keeps them any more. */
      readonly how: string;
    }
  /** Somebody takes its guards away whenever Poolkeeper has put them back. */
  | ({ readonly kind: 'lost' } & LostGuards)
  /** Its window is away for another Application of its name, and not all of its pools are paused. */
  | (ToldApplication & { readonly kind: 'exposed'; readonly pools: readonly string[]; readonly why: string })
  /** It was open for its sync several times in a row, with its pools paused, and none came. */
  | (ToldApplication & {
      readonly kind: 'unanswered';
      readonly pools: readonly string[];
      readonly times: number;
      /** ISO instant of the first time. */
      readonly since: string;
    })
  /** It is open, and no sync is seen to run through it. */
  | (ToldApplication & {
      readonly kind: 'open';
      readonly pools: readonly string[];
      readonly why: string;
      /** ISO instant. */
      readonly since: string;
    });

/** An AppProject from which somebody had taken our windows away, and where they stand again. */
export interface LostGuards {
  readonly namespace: string;
  readonly project: string;
  /** Who had, by managedFields; `somebody` where that is not known. */
  readonly by: string;
  /** An Argo CD Application applies it from Git. */
  readonly isTracked: boolean;
}

/** What one look at the guards of a cluster found. */
export interface GuardsLook {
  readonly problems: readonly GuardProblem[];
  /** What could not be seen of the guards that are set up; undefined: all was seen. */
  readonly unseen: string | undefined;
  /** `<namespace>/<name>` of guarded Applications that were not read; absent: any of them may be. */
  readonly unread?: readonly string[] | undefined;
  /** Where guards were put back in this pass; absent: nowhere. */
  readonly lost?: readonly LostGuards[] | undefined;
  /** All Applications were listed, so that those without a guard were seen too. */
  readonly isComplete: boolean;
}

/** What the problem is about, the same in each look. */
export function guardProblemKey(problem: GuardProblem): string {
  switch (problem.kind) {
    case 'unkept':
    case 'no-room':
    case 'held-too':
    case 'same-name':
    case 'lost':
      return `${problem.kind}|${problem.project}`;
    case 'no-project':
      return problem.kind;
    case 'exposed':
    case 'closed':
    case 'unanswered':
    case 'open':
      return `${problem.kind}|${problem.application}`;
    default:
      return problem satisfies never;
  }
}
