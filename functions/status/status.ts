import * as z from 'zod';

/** The answer of `GET /status` to `Accept: application/json`, from which the page is rendered too. Instants are
 *  ISO-8601 UTC, durations are seconds. What is unknown is left out. JSON Schema: docs/schemas/status.schema.json. */

const instant = z.string().describe('ISO-8601 instant, UTC.');
const seconds = z.int().min(0);

const HoldStatus = z.object({
  id: z.string().describe('Of a name for which there was no room, a part, with …# and a number behind it.'),
  kind: z.string().describe('sync, manual, freeze or rollout.'),
  who: z.string(),
  why: z.string(),
  phase: z.string().describe('Sync holds: expected, syncing or failed. Empty for other kinds.'),
  since: instant,
  ageSeconds: seconds,
  until: instant,
  overdue: z.boolean().describe('Its until has passed.'),
  overruled: z
    .object({ at: instant, by: z.string() })
    .optional()
    .describe('A person resumed the pool in spite of it, so it keeps nothing paused. Left out if nobody did.'),
  more: z
    .int()
    .optional()
    .describe('It stands for so many holds for which there was no room, since the first and until the last of them.'),
});
export type HoldStatus = z.infer<typeof HoldStatus>;

const HolderStatus = z.object({
  id: z.string().describe('The id of its holds.'),
  kind: z.string().describe('sync, manual, freeze or rollout.'),
  who: z.string(),
  pools: z.array(z.string()),
  link: z.string().optional().describe('The Application in Argo CD. Left out without an address in the configuration.'),
  since: instant.describe('When the first of these holds began.'),
  ageSeconds: seconds,
});
export type HolderStatus = z.infer<typeof HolderStatus>;

const GateStatus = z.object({
  gate: z.string(),
  why: z.string(),
  since: instant.optional(),
  unread: z
    .literal(true)
    .optional()
    .describe('It was not asked yet, and may be open: it is once the others are. Left out if it was.'),
  opens: z.string().describe('What opens it.'),
  opensAt: instant.optional().describe('When it opens by itself, if that is known.'),
  approves: z
    .string()
    .optional()
    .describe(
      'What people are asked to approve: the rendered config, in image mode with the digest of its image, as `poolkeeper approve --config` takes it.',
    ),
});
export type GateStatus = z.infer<typeof GateStatus>;

const WaitStatus = z
  .object({
    kind: z
      .enum(['gate', 'hold', 'pause', 'guard'])
      .describe('pause: set by somebody else, and never undone by Poolkeeper. guard: a sync waits for it.'),
    name: z
      .string()
      .describe('Name of the gate, holder of the hold, author of the pause, Application behind the guard.'),
    why: z.string(),
    value: z.string().describe('What was found.'),
    threshold: z.string().describe('What it has to be.'),
    since: instant.optional(),
    opens: z.string().describe('What ends it.'),
    opensAt: instant.optional().describe('When it ends by itself, if that is known.'),
    who: z.string().describe('Who may end it.'),
    how: z.string().optional().describe('The command that ends it, if there is one.'),
    timeout: z
      .object({ at: instant, action: z.enum(['wait', 'alert', 'resume', 'drop']) })
      .optional()
      .describe(
        'What happens if it does not end. wait: nothing. alert: an alert is sent. resume: it no longer counts. drop: Poolkeeper gives the pool up, and it stays paused until a person resumes it.',
      ),
  })
  .describe('One thing that keeps a pool paused, or a sync back; `poolkeeper why` prints the same.');
export type WaitStatus = z.infer<typeof WaitStatus>;

const RaceStatus = z
  .object({
    hold: z.string(),
    verdict: z
      .enum(['early', 'in time', 'late', 'unprotected'])
      .optional()
      .describe(
        'Whether the pause was in time. Left out while the race is undecided, and where no sync followed or applied anything, somebody resumed the pool before its end, or its nodes could not be read.',
      ),
    since: instant,
    pushedAt: instant.optional(),
    pausedAt: instant.optional(),
    confirmedAt: instant.optional(),
    appliedAt: instant.optional(),
    firstTargetedAt: instant.optional(),
    missedNodes: z
      .array(z.string())
      .describe('Nodes that were targeted because of the change, before the pause was confirmed.'),
    rollingBefore: z
      .array(z.string())
      .optional()
      .describe(
        'Nodes of an earlier rollout that had not arrived when the pause was confirmed, which does not stop them.',
      ),
    endedAt: instant.optional().describe('It ended without a verdict.'),
  })
  .describe('One race: whether the pause of a sync hold was confirmed before the MCO targeted a node.');
export type RaceStatus = z.infer<typeof RaceStatus>;

const PauseStatus = z
  .object({
    whose: z
      .enum(['ours', 'foreign', 'overridden', 'unclear'])
      .describe('ours: Poolkeeper may clear it. foreign: someone else set it, Poolkeeper leaves it alone.'),
    by: z.string().describe('Field manager that last wrote spec.paused; empty when unknown.'),
    since: instant.optional(),
    ageSeconds: seconds.optional(),
    confirmed: z.boolean().describe('The MCO has observed it.'),
  })
  .describe('Left out when the pool is not paused.');
export type PauseStatus = z.infer<typeof PauseStatus>;

const NodeStatus = z.object({
  name: z.string(),
  from: z.string(),
  to: z.string(),
  begunAt: instant,
  step: z.string().describe('pickup, prepare, cordon, drain, stage, reboot or uncordon.'),
  stepSince: instant,
  failing: z.boolean().describe('Its config daemon reports that it cannot continue.'),
  waitsFor: z.string().describe('What must become true before it continues.'),
  steps: z.array(z.object({ name: z.string(), begunAt: instant.optional(), endedAt: instant.optional() })),
});

const ChangeStatus = z
  .object({
    class: z
      .enum(['none', 'reload', 'restart', 'drain', 'reboot'])
      .optional()
      .describe('Disruption of the nodes. Left out where unknown: assume a reboot.'),
    byDefault: z.boolean().describe('By the default disruption policy of the MCO: that of the cluster is not known.'),
    parts: z.array(z.string()).describe('What differs, by name, at most eight; security-relevant parts first.'),
    partsInAll: z.int(),
    security: z.array(z.string()).describe('Which parts of node security it concerns.'),
    causes: z
      .array(z.object({ kind: z.string(), why: z.string() }))
      .describe('Why it was rendered: git, certificates, pull-secret, release-image ...'),
    unread: z.string().optional().describe('Why its contents are unknown.'),
  })
  .describe('The change that is pending or rolling out. Left out when there is none or it has not been read.');

const PoolStatus = z.object({
  name: z.string(),
  link: z.string().optional().describe('The pool in the console. Left out without an address in the configuration.'),
  state: z
    .enum(['degraded', 'updating', 'pending', 'updated', 'empty', 'unknown'])
    .describe('State of the rollout; pauses are reported separately.'),
  managed: z.boolean().describe('Poolkeeper may pause it.'),
  protection: z.string(),
  ageSeconds: seconds.optional(),
  currentConfig: z.string().describe('The config that all nodes have.'),
  targetConfig: z.string().describe('The config that the MCO is rolling out.'),
  pending: z
    .boolean()
    .describe('A change is pending or rolling out: the two differ, or the image does that nodes boot (image mode).'),
  pendingSources: z
    .object({ added: z.array(z.string()), removed: z.array(z.string()) })
    .optional()
    .describe('MachineConfigs in one but not the other. Both empty: the content of one changed.'),
  pendingImage: z
    .string()
    .optional()
    .describe('Image mode: the image that is pending or rolling out, if the config stays as it is.'),
  pendingSince: instant
    .optional()
    .describe(
      'Since when it has been pending, or when it was rendered. Without one: since when nodes that have another config have been waiting behind the pause.',
    ),
  pendingSeconds: seconds.optional(),
  change: ChangeStatus.optional(),
  certificatesExpire: instant
    .optional()
    .describe('When the first certificate managed by the MCO expires, where the MCO reports it.'),
  spared: z
    .array(z.object({ hold: z.string(), revision: z.string(), why: z.string(), at: instant }))
    .optional()
    .describe('Pushes that it was not paused for, because they do not disrupt its nodes (pauseFor: disruptive).'),
  updated: z.boolean(),
  updating: z.boolean(),
  degraded: z.boolean(),
  counts: z.object({
    machines: z.int(),
    ready: z.int(),
    updated: z.int(),
    unavailable: z.int(),
    degraded: z.int(),
  }),
  message: z.string(),
  pause: PauseStatus.optional(),
  overridden: z
    .boolean()
    .describe('Somebody else, a person or a program, resumed it in spite of a hold that it has still.'),
  holds: z.array(HoldStatus),
  emergency: z
    .object({ who: z.string(), why: z.string(), since: instant, until: instant })
    .optional()
    .describe('Its emergency lane is open: until its end the pool resumes past freezes, windows and approvals.'),
  closedGates: z.array(GateStatus),
  rests: z
    .literal(true)
    .optional()
    .describe('It rests: no change waits behind its pause, and nothing holds it. Left out if it does not.'),
  why: z
    .object({
      now: z.array(WaitStatus).describe('What keeps it paused.'),
      afterwards: z
        .array(WaitStatus)
        .describe('Gates that will keep it paused once its holds have ended, as known now.'),
      override: z
        .string()
        .optional()
        .describe('The command with which whoever may change the pool goes past all of it.'),
    })
    .optional()
    .describe('Why it is paused. Left out when it is not.'),
  races: z.array(RaceStatus).describe('Some of the last, newest first: lost ones, and some of each Application.'),
  lostRaces: z
    .array(
      z.object({
        verdict: z.enum(['late', 'unprotected']),
        count: z.int(),
        lastAt: instant.describe('When the last of them was judged.'),
      }),
    )
    .optional()
    .describe('Races that were lost within a day, also those that are not listed. Left out if there are none.'),
  minutesLeft: z.int().optional().describe('Until its rollout is done, at the pace of its last nodes.'),
  takes: z
    .string()
    .optional()
    .describe('How long the change that is pending will take to roll out, and by what that is known.'),
  pace: z
    .object({
      usualMinutes: z.int().describe('Half of its nodes were faster.'),
      slowMinutes: z.int().describe('Nine in ten of its nodes were faster.'),
      rollouts: z.int().describe('Node rollouts that it is known from, at most 50.'),
    })
    .optional()
    .describe('How long a node of this pool takes. Left out while too few were updated.'),
  nodes: z.array(NodeStatus).optional().describe('Nodes being updated, the longest first, at most twenty.'),
  joined: z
    .array(z.object({ name: z.string(), at: instant, config: z.string() }))
    .optional()
    .describe('Nodes that joined during this pause, with the rendered config that they came up with.'),
});
export type PoolStatus = z.infer<typeof PoolStatus>;

const WindowsStatus = z.object({
  pools: z.string().describe('A pool by its name, those with a label, or every other pool.'),
  windows: z.array(z.string()).describe('In words, as `poolkeeper windows` prints them.'),
  open: z.boolean().optional().describe('Left out: a calendar is read by its address, and `why` of a pool says it.'),
  until: instant.optional().describe('When they close. Left out: they are not open, or not within a year.'),
  opensAt: instant.optional().describe('When they open. Left out: they are open, or not within a year.'),
});
export type WindowsStatus = z.infer<typeof WindowsStatus>;

export const ClusterStatus = z.object({
  name: z.string(),
  sight: z
    .enum(['seen', 'stale', 'blind', 'never'])
    .describe(
      'seen: read recently. stale: not read recently, or by a clock that is ahead. blind: the last reads failed. never: not read yet.',
    ),
  configured: z.boolean().describe('It is in the configuration of this page.'),
  readAt: instant.optional().describe('Last successful read.'),
  readAgeSeconds: seconds.optional().describe('Left out also where the clock that read it is ahead.'),
  blind: z.object({ why: z.string(), since: instant, misses: z.int() }).optional(),
  poolCounts: z.object({
    all: z.int(),
    paused: z.int(),
    degraded: z.int(),
    unreadable: z.int().optional().describe('Those of unreadablePools. Left out if there are none.'),
  }),
  whole: z
    .boolean()
    .describe('false: in a large fleet the pools of this cluster are left out; ask with ?cluster=<name>.'),
  inShort: z
    .literal(true)
    .optional()
    .describe(
      'There is more of its pools than there is room for beside other clusters, as their holds and races: ask with ?cluster=<name>. Left out when it is all there.',
    ),
  pools: z.array(PoolStatus),
  poolsLeftOut: z
    .int()
    .optional()
    .describe(
      'Pools of poolCounts that are nowhere in pools, because a view of the cluster has no room for so many; those that need people are there first. Left out when there are none.',
    ),
  unreadablePools: z
    .array(
      z.object({
        name: z.string(),
        since: instant.optional().describe('Since when, where that is known.'),
        wasOurs: z
          .literal(true)
          .optional()
          .describe('Poolkeeper had paused it when it was last parsed. Left out: it had not, or that is not known.'),
      }),
    )
    .optional()
    .describe(
      'Pools of poolCounts that are there and could not be parsed when the cluster was last read, so that nothing else is known of them: whether they are paused or degraded is not. Left out when there are none.',
    ),
  holders: z
    .array(HolderStatus)
    .optional()
    .describe(
      'Who holds which pools, at most twenty: people and runs, then Applications, one of each namespace after the other, of each those with the most pools first. Left out when nobody does.',
    ),
  holdersLeftOut: z
    .object({
      holders: z.int().describe('Those that are not among the twenty.'),
      holds: z.int().describe('Holds of pools that have too many to name them all: whose they are is not known.'),
    })
    .optional()
    .describe('Who is not in holders. Left out when that is nobody.'),
  guards: z
    .array(
      z.object({
        about: z.string().describe('The Application behind the guard, or the AppProject.'),
        why: z.string(),
        how: z.string().optional(),
        pools: z.array(z.string()).optional().describe('Pools that have to be paused before the guard opens.'),
        wait: WaitStatus.optional().describe('The guard in the words of the gates. Left out for an AppProject.'),
      }),
    )
    .optional()
    .describe(
      'Guards that a sync waits for, with the command that opens each without Poolkeeper, and AppProjects whose guards cannot be kept. Left out when there are none.',
    ),
  windows: z
    .array(WindowsStatus)
    .optional()
    .describe('When its pools may resume. Left out when no window is configured.'),
  operatorParts: z
    .object({
      readAt: instant,
      parts: z.array(
        z.object({
          name: z.string(),
          state: z.enum(['fine', 'partly', 'progressing', 'degraded', 'down', 'unread']),
          says: z.string().describe('In words, as "5 of 6 ready".'),
        }),
      ),
    })
    .optional()
    .describe(
      'How the parts of the Machine Config Operator stand, read with every sweep. Left out before the first, and where there are none.',
    ),
  ignoredAnnotations: z
    .array(z.object({ application: z.string(), why: z.string() }))
    .optional()
    .describe('Applications whose annotation poolkeeper.dev/pools has no effect. Left out when there are none.'),
});
export type ClusterStatus = z.infer<typeof ClusterStatus>;

const RemedyStatus = z.object({
  title: z.string(),
  risk: z.string(),
  who: z.string(),
  command: z.string().optional(),
  undo: z.string().optional(),
});

const IncidentStatus = z.object({
  name: z.string().optional().describe('PK-7; left out before an alert was sent.'),
  state: z
    .enum(['pending', 'firing', 'recovering', 'resolved'])
    .describe('pending: no alert yet, because it may resolve by itself.'),
  severity: z.enum(['critical', 'high', 'warning', 'info']),
  cluster: z.string(),
  pool: z.string().describe('* for what concerns the whole cluster.'),
  kind: z.string(),
  headline: z.string(),
  since: instant.optional(),
  ageSeconds: seconds.optional().describe('How long it has lasted, or lasted.'),
  resolvedAt: instant.optional(),
  outcome: z.string().optional(),
  flapping: z.boolean(),
  unseenSince: instant.optional().describe('No successful read since then: the state may have changed.'),
  behind: z.string().optional().describe('Why no alert is sent: what it follows from.'),
  attention: z
    .string()
    .optional()
    .describe('Who has acknowledged or snoozed it, until when and why. Left out when nobody has, or it has ended.'),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  causes: z.array(
    z.object({
      code: z.string().optional().describe('Of docs/causes.md. Left out for one that this version does not know.'),
      sentence: z.string(),
      confidence: z.string(),
      chain: z.array(z.string()).describe('The chain of causes, down to the root cause.'),
      remedies: z.array(RemedyStatus),
      log: z.array(z.string()).describe('Lines of the Machine Config Operator around the failure; usually none.'),
    }),
  ),
  told: z.array(z.object({ target: z.string(), state: z.enum(['told', 'owed', 'unreachable']) })),
});
export type IncidentStatus = z.infer<typeof IncidentStatus>;

const RebootStatus = z
  .object({
    cluster: z.string(),
    pool: z.string(),
    node: z.string(),
    from: z.string(),
    to: z.string(),
    begunAt: instant,
    endedAt: instant.optional(),
    seconds: seconds.optional(),
    unseen: z
      .object({ after: instant.optional() })
      .optional()
      .describe(
        'Left out unless no look saw it in progress: it happened between `after`, if that is known, and `endedAt`. `begunAt` is then the same as `endedAt`.',
      ),
    outcome: z
      .enum(['done', 'redirected', 'gone'])
      .describe('gone: the node was removed, or left the pool, before it had arrived.'),
    rebooted: z.boolean().optional().describe('Left out when it was not observed.'),
    course: z.string().describe('Its steps with their times, in words.'),
    causes: z
      .array(
        z.object({
          kind: z.string().describe('git, or what else caused the pool to be re-rendered.'),
          why: z.string(),
          machineConfigs: z.array(z.string()),
          application: z.string().optional(),
          commit: z.string().optional(),
          links: z
            .object({ application: z.string().optional(), commit: z.string().optional() })
            .optional()
            .describe('Where both are shown. Left out without addresses in the configuration.'),
        }),
      )
      .describe('Empty: unknown.'),
  })
  .describe('An update of one node, and the change behind it.');
export type RebootStatus = z.infer<typeof RebootStatus>;

const SequenceItemStatus = z.object({
  id: z.string().describe('`storage@prod`; of a gate `storage@prod/waitFor`. What `sequence skip` takes.'),
  kind: z.enum(['step', 'gate']),
  of: z.string().optional().describe('The step that a gate belongs to, by id.'),
  what: z.string().describe('What it acts on or looks at; of a gate, what must be there.'),
  cluster: z.string(),
  state: z
    .enum(['healthy', 'unhealthy', 'unseen', 'unasked', 'skipped', 'passed'])
    .describe(
      'unseen: its cluster could not be read. unasked: its turn has not come. skipped: a person counts it as healthy. passed: its timeout is over, and it no longer counts.',
    ),
  value: z.string().describe('What was found.'),
  since: instant.optional().describe('Since when it is in this state.'),
  begunAt: instant.optional().describe('When its step was let go.'),
  waitedSince: instant.optional().describe('Since when a gate is waited for.'),
  waitedSeconds: seconds.optional(),
  until: instant.optional().describe('When its timeout is over.'),
  overdue: z.boolean().describe('Its until has passed.'),
  onTimeout: z.string().optional().describe('What happens then: wait, alert, proceed or abort.'),
  heldBy: z.string().optional().describe('What holds the step back.'),
  waitsFor: z.array(z.string()).optional().describe('What it waits for, by id, at most a few.'),
});
export type SequenceItemStatus = z.infer<typeof SequenceItemStatus>;

const SequenceStatus = z
  .object({
    name: z.string(),
    description: z.string().optional(),
    cluster: z.string().describe('The cluster that keeps its record.'),
    state: z.enum(['not begun', 'running', 'done', 'paused', 'aborted']),
    said: z
      .object({ who: z.string(), why: z.string(), at: instant })
      .optional()
      .describe('Who paused or aborted it, and why.'),
    readAt: instant
      .optional()
      .describe('The last look that changed anything or read everything; usually at most five minutes ago.'),
    readAgeSeconds: seconds.optional(),
    stale: z.boolean().describe('Nobody has looked lately: the state may have changed.'),
    wave: z.int().optional().describe('The lowest wave that is not healthy. Left out when all are.'),
    waves: z.array(
      z.object({
        wave: z.int(),
        items: z.int().describe('Steps and gates in all.'),
        healthy: z.int().describe('Those that hold nothing back.'),
        shown: z.array(SequenceItemStatus).describe('Those that are not healthy first; at most some three hundred.'),
      }),
    ),
    wavesOmitted: z.int().describe('Waves that are left out, of more than sixty.'),
    problems: z
      .array(
        z.object({
          kind: z.enum(['timeout', 'regression', 'refused', 'unseen', 'aborted', 'drift']),
          item: z.string(),
          cluster: z.string(),
          since: instant,
          why: z.string(),
        }),
      )
      .describe('What people are told of.'),
    log: z.array(z.object({ at: instant, item: z.string(), what: z.string() })).describe('What happened, newest last.'),
  })
  .describe('An order over Applications, operators, pools and objects; `poolkeeper sequence status` prints the same.');
export type SequenceStatus = z.infer<typeof SequenceStatus>;

const RunTileStatus = z.object({
  node: z.string(),
  pool: z.string(),
  state: z
    .enum(['done', 'waiting', 'held', 'before', 'updating', 'after', 'blocked', 'skipped'])
    .describe(
      'before, after: its Jobs run. held: it has the label that holds nodes. blocked: its turn waits for a person. skipped: it was left as it is.',
    ),
  step: z
    .enum(['before', 'updating', 'after'])
    .optional()
    .describe('Where in its turn it is, also while that is blocked. Left out: it has none under way.'),
  doing: z.string().describe('What it does or waits for.'),
  since: instant.optional().describe('Since when its turn is at this step.'),
  ageSeconds: seconds.optional(),
  place: z.int().optional().describe('How many have their turn before it, among those that wait.'),
  tail: z.array(z.string()).describe('The last lines that its Job has printed, or else what happened last.'),
});
export type RunTileStatus = z.infer<typeof RunTileStatus>;

const RunStatus = z
  .object({
    name: z.string(),
    cluster: z.string().describe('The cluster of its pools.'),
    mode: z.enum(['turns', 'canary']),
    state: z
      .enum(['idle', 'running', 'blocked', 'paused', 'aborting', 'aborted'])
      .describe('idle: all nodes are done.'),
    said: z
      .object({ who: z.string(), why: z.string(), at: instant })
      .optional()
      .describe('Who paused or aborted it, and why.'),
    readAt: instant.describe('The last look at it, while it was at work.'),
    readAgeSeconds: seconds,
    stale: z.boolean().describe('It is at work, and nobody has looked lately.'),
    done: z.int(),
    total: z.int().describe('Nodes of its pools.'),
    minutesLeft: z
      .int()
      .optional()
      .describe(
        'If the turns that are left take as long as those before. Left out: none is over yet, or none is left.',
      ),
    next: z
      .object({ node: z.string(), why: z.string() })
      .optional()
      .describe('Whose turn begins next, and why it has not.'),
    blockedSince: instant.optional(),
    blockedSeconds: seconds.optional(),
    block: z
      .object({
        kind: z.enum(['job', 'node', 'refused', 'moved', 'canary', 'skipped', 'unseen', 'lost', 'gate']),
        node: z.string().describe('Empty: it is of the whole run.'),
        place: z.int().optional().describe('Of that node among all, from 1.'),
        cause: z.string(),
        action: z.string().describe('The one command that fits best.'),
      })
      .optional()
      .describe('Why it does not go on by itself. Left out: it does.'),
    pools: z.array(
      z.object({
        name: z.string(),
        target: z
          .string()
          .describe('The rendered config that its nodes are taken to; empty: there is no such pool, or it is unread.'),
        paused: z.boolean(),
        unread: z.literal(true).optional().describe('It is there, and cannot be parsed. Left out: it can.'),
      }),
    ),
    tiles: z
      .array(RunTileStatus)
      .describe('Its nodes by pool, in the order of their turns; at most a hundred and fifty.'),
    tilesOmitted: z.object({ done: z.int(), waiting: z.int() }).describe('Nodes that are left out.'),
    log: z.array(z.object({ at: instant, node: z.string(), what: z.string() })).describe('What happened, newest last.'),
  })
  .describe('Nodes that are taken one at a time; `poolkeeper run status` prints the same.');
export type RunStatus = z.infer<typeof RunStatus>;

const LockGroupStatus = z
  .object({
    group: z.string(),
    slots: z.int().optional().describe('How many machines may be down at once. Left out: no longer configured.'),
    closed: z.literal(true).optional().describe('No window is open: nobody is given a slot.'),
    opensAt: instant.optional().describe('When the next window opens.'),
    held: z.array(
      z.object({
        id: z.string().describe('What the machine calls itself.'),
        since: instant,
        ageSeconds: seconds,
        dueAt: instant.optional().describe('When it should be back.'),
        overdue: z.boolean(),
      }),
    ),
  })
  .describe('Machines outside OpenShift that ask by FleetLock; `poolkeeper locks` prints the same.');
export type LockGroupStatus = z.infer<typeof LockGroupStatus>;

const TimelineStatus = z.object({
  id: z.string(),
  at: instant,
  cluster: z.string(),
  pool: z.string(),
  type: z.string(),
  text: z.string(),
  correlation: z.string().describe('One key from delivery to message.'),
});
export type TimelineStatus = z.infer<typeof TimelineStatus>;

export const Status = z
  .object({
    v: z.literal(1),
    at: instant.describe('When this was built.'),
    only: z.string().optional().describe('The one cluster that was asked for with ?cluster=<name>.'),
    summary: z.object({
      state: z
        .enum(['trouble', 'unseen', 'holding', 'calm'])
        .describe(
          'The worst that applies: an incident is firing or a pool or Machine Config Operator does not work, something could not be read, a pool is paused or a sequence or an incident is not over, or none of these.',
        ),
      sentence: z.string(),
      clusters: z.int(),
      clustersUnseen: z.int().describe('Of those in the configuration.'),
      operatorsDown: z
        .int()
        .optional()
        .describe('Clusters whose Machine Config Operator is down or degraded. Left out if there are none.'),
      pools: z.int(),
      poolsLeft: z
        .int()
        .optional()
        .describe(
          'Pools that were paused or degraded, or could not be parsed, when last read, of clusters that are not in the configuration and that nobody reads any more. They count in no other figure. Left out if there are none.',
        ),
      poolsUnreadable: z
        .int()
        .optional()
        .describe('Pools that are there and cannot be parsed. Left out if there are none.'),
      poolsPaused: z.int(),
      poolsOverridden: z
        .int()
        .optional()
        .describe('Pools that a person resumed in spite of a hold that they have still. Left out if there are none.'),
      poolsRolling: z
        .int()
        .optional()
        .describe(
          'Pools that are not paused and whose nodes go to another config or image, or back to the former one. Left out if there are none.',
        ),
      poolsLackingNodes: z
        .int()
        .optional()
        .describe(
          'Pools that are not paused and roll nothing out, with nodes that are cordoned or not ready. Left out if there are none.',
        ),
      guardsClosed: z
        .int()
        .optional()
        .describe('Guards that keep a sync back, or cannot be kept. Left out if there are none.'),
      poolsDegraded: z.int(),
      incidentsFiring: z.int(),
      incidentsRecovering: z.int().describe('Their end is not certain yet.'),
      incidentsPending: z.int().describe('No alert yet, because they may resolve by themselves.'),
      latePauses: z.int().describe('Pauses that came late within a day.'),
      unprotectedPauses: z
        .int()
        .optional()
        .describe('Pauses that were not confirmed in time, or never, within a day. Left out if there are none.'),
      sequencesOpen: z.int().describe('Sequences that are under way or paused.'),
    }),
    unread: z
      .array(z.enum(['clusters', 'incidents', 'sequences', 'runs', 'locks', 'timeline', 'reboots']))
      .describe('Parts that could not be read. The answer then has status 503.'),
    clusters: z.array(ClusterStatus),
    incidents: z.array(IncidentStatus).describe('Worst first, at most a hundred; resolved ones last.'),
    sequences: z.array(SequenceStatus).describe('Those that are not done first, at most twenty. Empty: none.'),
    runs: z
      .array(RunStatus)
      .optional()
      .describe('Those that need somebody first, at most twenty. Left out: none was at work.'),
    locks: z.array(LockGroupStatus).optional().describe('Left out: no machine asks by FleetLock.'),
    beyond: z
      .object({ incidents: z.int(), sequences: z.int(), runs: z.int() })
      .optional()
      .describe('How many more there are of each than an answer has room for. Left out: it has all.'),
    timeline: z.array(TimelineStatus).describe('The last hundred entries, newest first.'),
    timelineSearched: z
      .int()
      .optional()
      .describe(
        'With ?cluster=: so many of the last entries of all clusters were searched, and older ones were not. Left out if nothing older would be shown.',
      ),
    reboots: z
      .array(RebootStatus)
      .describe(
        'Node updates that ended, the latest begun first, at most 90 days old; filter with ?reboots=, ?pool=, ?node= and ?commit=.',
      ),
    moreReboots: z
      .boolean()
      .optional()
      .describe('True: there are more such node updates; ?reboots= asks for up to 1,000. Left out if these are all.'),
    rebootsSearched: z
      .int()
      .optional()
      .describe(
        'With a filter: so many of the last node updates of all clusters were searched, and older ones were not. Left out if nothing older would be shown.',
      ),
    policy: z.object({
      defaults: z.record(z.string(), z.string()).describe('Keys and values as poolkeeper.yaml writes them.'),
      changes: z
        .record(z.string(), z.record(z.string(), z.string()))
        .describe('By cluster, what differs from the defaults.'),
    }),
  })
  .meta({ title: 'Poolkeeper status' });
export type Status = z.infer<typeof Status>;
