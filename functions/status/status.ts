import * as z from 'zod';

/** What `GET /status` answers to `Accept: application/json`, and what the page is made of. All instants are ISO-8601
 *  UTC, all times in seconds. What is unknown is left out. The JSON Schema stands in
 *  docs/schemas/status.schema.json. */

const instant = z.string().describe('ISO-8601 instant, UTC.');
const seconds = z.int().min(0);

const HoldStatus = z.object({
  id: z.string(),
  kind: z.string().describe('sync, manual or rollout.'),
  who: z.string(),
  why: z.string(),
  phase: z.string().describe('Sync holds: expected, syncing or failed. Otherwise empty.'),
  since: instant,
  ageSeconds: seconds,
  until: instant,
  overdue: z.boolean().describe('Its until is past.'),
});
export type HoldStatus = z.infer<typeof HoldStatus>;

const GateStatus = z.object({
  gate: z.string(),
  why: z.string(),
  since: instant.optional(),
  opens: z.string().describe('What opens it.'),
});
export type GateStatus = z.infer<typeof GateStatus>;

const RaceStatus = z
  .object({
    hold: z.string(),
    verdict: z
      .enum(['early', 'in time', 'late', 'unprotected'])
      .optional()
      .describe('How the pause came, against the MCO. Left out while the race runs.'),
    since: instant,
    pushedAt: instant.optional(),
    pausedAt: instant.optional(),
    confirmedAt: instant.optional(),
    appliedAt: instant.optional(),
    firstTargetedAt: instant.optional(),
    missedNodes: z.array(z.string()).describe('Nodes that were already on their way when the pause was confirmed.'),
  })
  .describe('One sync hold against the MCO.');
export type RaceStatus = z.infer<typeof RaceStatus>;

const PauseStatus = z
  .object({
    whose: z
      .enum(['ours', 'foreign', 'overridden', 'unclear'])
      .describe('ours: Poolkeeper may clear it. foreign: somebody else set it, Poolkeeper leaves it alone.'),
    by: z.string().describe('Field manager that last wrote spec.paused; empty when unknown.'),
    since: instant.optional(),
    ageSeconds: seconds.optional(),
    confirmed: z.boolean().describe('The MCO has taken note of it.'),
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
  failing: z.boolean().describe('Its config daemon says that it cannot go on.'),
  waitsFor: z.string().describe('What must become true before it goes on.'),
  steps: z.array(z.object({ name: z.string(), begunAt: instant.optional(), endedAt: instant.optional() })),
});

const ChangeStatus = z
  .object({
    class: z
      .enum(['none', 'reload', 'restart', 'drain', 'reboot'])
      .optional()
      .describe('What the nodes suffer. Left out where it could not be told: a reboot must be assumed.'),
    byDefault: z.boolean().describe('The policy of the cluster is not known: by the defaults of the MCO.'),
    parts: z.array(z.string()).describe('What differs, by name, at most eight; what security hangs on comes first.'),
    partsInAll: z.int(),
    security: z.array(z.string()).describe("What of the nodes' security it concerns."),
    causes: z
      .array(z.object({ kind: z.string(), why: z.string() }))
      .describe('Why it was rendered: git, certificates, pull-secret, release-image ...; whom to ask.'),
    unread: z.string().optional().describe('Why nobody knows what it holds.'),
  })
  .describe('What waits behind the pause, or rolls. Left out when nothing does, or before it was read.');

const PoolStatus = z.object({
  name: z.string(),
  state: z
    .enum(['degraded', 'updating', 'pending', 'updated', 'empty', 'unknown'])
    .describe('One word for the rollout; a pause comes in addition.'),
  managed: z.boolean().describe('Poolkeeper may pause it.'),
  protection: z.string(),
  ageSeconds: seconds.optional(),
  currentConfig: z.string().describe('What every node finished.'),
  targetConfig: z.string().describe('Where the MCO wants the nodes.'),
  pending: z.boolean().describe('The two differ: a change waits or rolls.'),
  pendingSources: z
    .object({ added: z.array(z.string()), removed: z.array(z.string()) })
    .optional()
    .describe('MachineConfigs in which the two differ. Both empty: the content of one changed.'),
  pendingSince: instant.optional().describe('Since when it waits behind the pause, or was rendered.'),
  pendingSeconds: seconds.optional(),
  change: ChangeStatus.optional(),
  certificatesExpire: instant
    .optional()
    .describe('When the first certificate expires that the nodes have by the MCO, where it says so.'),
  spared: z
    .array(z.object({ hold: z.string(), revision: z.string(), why: z.string(), at: instant }))
    .optional()
    .describe('Pushes that it is not paused for, because they do nothing to its nodes (pauseFor: disruptive).'),
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
  overridden: z.boolean().describe('A person resumed it while Poolkeeper held it.'),
  holds: z.array(HoldStatus),
  closedGates: z.array(GateStatus),
  races: z.array(RaceStatus),
  minutesLeft: z.int().optional().describe('Until its rollout is through, at the pace of its own last nodes.'),
  nodes: z.array(NodeStatus).optional().describe('Nodes on their way, the longest first, at most twenty.'),
  joined: z
    .array(z.object({ name: z.string(), at: instant, config: z.string() }))
    .optional()
    .describe('Nodes that joined during this pause, with the rendered config that they came up with.'),
});
export type PoolStatus = z.infer<typeof PoolStatus>;

const ClusterStatus = z.object({
  name: z.string(),
  sight: z
    .enum(['seen', 'stale', 'blind', 'never'])
    .describe('seen: read lately. stale: nobody has looked lately. blind: the last reads failed. never: not read yet.'),
  configured: z.boolean().describe('It stands in the configuration that this page was given.'),
  readAt: instant.optional().describe('Last good read.'),
  readAgeSeconds: seconds.optional(),
  blind: z.object({ why: z.string(), since: instant, misses: z.int() }).optional(),
  poolCounts: z.object({ all: z.int(), paused: z.int(), degraded: z.int() }),
  whole: z
    .boolean()
    .describe('false: in a large fleet the pools of this cluster are left out; ask with ?cluster=<name>.'),
  pools: z.array(PoolStatus),
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
  name: z.string().optional().describe('PK-7; left out before people were told.'),
  state: z
    .enum(['pending', 'firing', 'recovering', 'resolved'])
    .describe('pending: seen, and not told while it may heal by itself.'),
  severity: z.enum(['critical', 'high', 'warning', 'info']),
  cluster: z.string(),
  pool: z.string().describe('* for what concerns the whole cluster.'),
  kind: z.string(),
  headline: z.string(),
  since: instant.optional(),
  ageSeconds: seconds.optional().describe('How long it lasts or lasted.'),
  resolvedAt: instant.optional(),
  outcome: z.string().optional(),
  flapping: z.boolean(),
  unseenSince: instant.optional().describe('No good read since: it may have changed.'),
  behind: z.string().optional().describe('Not told because this one explains it.'),
  attention: z
    .string()
    .optional()
    .describe('Who has acknowledged or snoozed it, until when and why. Left out when nobody has, or not any more.'),
  facts: z.array(z.object({ label: z.string(), value: z.string() })),
  causes: z.array(
    z.object({
      sentence: z.string(),
      confidence: z.string(),
      chain: z.array(z.string()).describe('What it follows from, down to the root.'),
      remedies: z.array(RemedyStatus),
      log: z.array(z.string()).describe('Lines of the Machine Config Operator around the failure; mostly none.'),
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
    outcome: z.enum(['done', 'redirected', 'gone']),
    rebooted: z.boolean().optional().describe('Left out when nobody looked at the right moments.'),
    course: z.string().describe('Its steps with their times, in words.'),
    causes: z
      .array(
        z.object({
          kind: z.string().describe('git, or what else made the pool render anew.'),
          why: z.string(),
          machineConfigs: z.array(z.string()),
          application: z.string().optional(),
          commit: z.string().optional(),
        }),
      )
      .describe('Empty: not known.'),
  })
  .describe('An update of one node, and the change behind it.');
export type RebootStatus = z.infer<typeof RebootStatus>;

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
    at: instant.describe('When this was put together.'),
    only: z.string().optional().describe('The one cluster that was asked for with ?cluster=<name>.'),
    summary: z.object({
      state: z
        .enum(['trouble', 'unseen', 'holding', 'calm'])
        .describe('The worst that is true: an incident fires, something is not seen, a pool is paused, nothing of it.'),
      sentence: z.string(),
      clusters: z.int(),
      clustersUnseen: z.int(),
      pools: z.int(),
      poolsPaused: z.int(),
      poolsDegraded: z.int(),
      incidentsFiring: z.int(),
      latePauses: z.int(),
    }),
    unread: z
      .array(z.enum(['clusters', 'incidents', 'timeline', 'reboots']))
      .describe('Parts that could not be read just now. The answer then has status 503.'),
    clusters: z.array(ClusterStatus),
    incidents: z.array(IncidentStatus).describe('Worst first, at most a hundred; resolved ones last.'),
    timeline: z.array(TimelineStatus).describe('The last hundred entries, newest first.'),
    reboots: z
      .array(RebootStatus)
      .describe(
        'Updates of nodes that ended, the last begun first, of 90 days at most; ?reboots=, ?pool=, ?node= and ?commit= choose.',
      ),
    policy: z.object({
      defaults: z.record(z.string(), z.string()).describe('Keys and values as poolkeeper.yaml writes them.'),
      changes: z.record(z.string(), z.record(z.string(), z.string())).describe('By cluster, what differs from them.'),
    }),
  })
  .meta({ title: 'Poolkeeper status' });
export type Status = z.infer<typeof Status>;
