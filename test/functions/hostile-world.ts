import type { Incident } from '../../functions/core/alerts/incident.ts';
import type { NodeRollout } from '../../functions/core/openshift/node-rollout.ts';
import type { ClusterView, TimelineEntry } from '../../functions/core/timeline/view.ts';
import {
  aDelivery,
  aNodeRollout,
  anIncident,
  aPoolView,
  aRace,
  aTimelineEntry,
  aTrouble,
  aView,
} from '../fakes/builders.ts';

/** Views, incidents and timeline in which every text that comes from outside is the given one. */
export function hostileWorld(text: string): {
  readonly views: readonly ClusterView[];
  readonly incidents: readonly Incident[];
  readonly timeline: readonly TimelineEntry[];
  readonly rollouts: readonly NodeRollout[];
} {
  const at = '2026-03-02T10:20:00.000Z';
  const pool = aPoolView({
    name: text,
    protection: text,
    paused: true,
    pauseOf: 'foreign',
    pausedSince: at,
    pausedBy: text,
    currentConfig: text,
    targetConfig: `${text}b`,
    pending: true,
    pendingSources: { added: [text], removed: [text] },
    degraded: true,
    message: text,
    holds: [{ id: text, kind: text, who: text, why: text, phase: text, since: at, until: at }],
    closedGates: [
      {
        gate: text,
        why: text,
        value: text,
        threshold: text,
        since: at,
        opens: text,
        who: text,
        how: text,
      },
    ],
    races: [aRace({ hold: text, missedNodes: [text] })],
    nodes: [
      {
        name: text,
        from: text,
        to: text,
        begunAt: at,
        step: text,
        stepSince: at,
        failing: true,
        waitsFor: text,
        steps: [{ name: text, begunAt: at, endedAt: undefined }],
      },
    ],
    joined: [{ name: text, at, config: text }],
  });
  const finding = {
    code: text,
    subject: { kind: text, namespace: text, name: text },
    sentence: text,
    confidence: 'possible',
    class: 'unknown',
    evidence: [],
    because: [],
    remedies: [{ title: text, command: text, risk: 'none', undo: text, who: 'platform' }],
  } as const;
  const key = { cluster: text, pool: text, kind: 'drain-blocked' } as const;
  const trouble = aTrouble({
    key,
    headline: text,
    findings: [{ ...finding, because: [finding] }, finding],
    facts: [{ label: text, value: text }],
  });
  return {
    views: [
      aView({ cluster: text, blind: { why: text, since: at, misses: 3 }, pools: [pool, { ...pool, pauseOf: 'ours' }] }),
    ],
    incidents: [
      anIncident({ key, trouble, inhibitedBy: text, deliveries: { [text]: aDelivery() } }),
      anIncident({
        key: { ...key, kind: 'node-lost' },
        number: 8,
        trouble,
        state: 'ok',
        resolvedAt: at,
        outcome: 'fixed',
      }),
    ],
    timeline: [aTimelineEntry({ cluster: text, pool: text, type: text, text })],
    rollouts: [
      aNodeRollout({
        cluster: text,
        pool: text,
        node: text,
        from: text,
        to: text,
        causes: [{ kind: 'git', why: text, sources: [text], by: { application: text, revision: text } }],
      }),
    ],
  };
}
