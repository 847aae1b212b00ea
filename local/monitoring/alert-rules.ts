import { stringify } from 'yaml';
import { definitions } from '../../functions/status/metrics/definitions.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  /** How long it has to be so, in Prometheus' form. */
  readonly for: string;
  readonly severity: 'critical' | 'warning';
  readonly summary: string;
  readonly description: string;
}

const {
  clusterSeen,
  clusterRead,
  unread,
  poolWaitsSince,
  poolState,
  holdsOverdue,
  raceLost,
  incidents,
  gateClosedSince,
} = definitions;

/** How old it was when its cluster was last read: nobody knows whether it goes on while the cluster is not seen. */
function ageWhenRead(since: string): string {
  return `${clusterRead.name} - on (instance, cluster) group_right () ${since}`;
}

/** Incidents have alerts of Poolkeeper's own, with cause and remedy. These are for those who route by Alertmanager, and
 *  for what Poolkeeper cannot say itself: that it does not answer. */
const rules: readonly Rule[] = [
  {
    alert: 'PoolkeeperDown',
    // In a cluster, what stands by is scraped too, and answers nothing while another one leads.
    expr: 'up{job="poolkeeper"} == 0 unless on (namespace, service) up{job="poolkeeper", service!=""} == 1 or absent(up{job="poolkeeper"})',
    for: '10m',
    severity: 'critical',
    summary: 'Poolkeeper does not answer',
    description: 'Pools that are paused stay paused, and no push pauses one. See docs/runbook.md.',
  },
  {
    alert: 'PoolkeeperClusterUnseen',
    expr: `${clusterSeen.name} == 0`,
    for: '10m',
    severity: 'critical',
    summary: 'Poolkeeper cannot see cluster {{ $labels.cluster }}',
    description: 'Nothing is paused or resumed there, and no incident of it ends.',
  },
  {
    alert: 'PoolkeeperPartUnread',
    expr: `${unread.name} == 1`,
    for: '10m',
    severity: 'warning',
    summary: 'The metrics of Poolkeeper lack {{ $labels.part }}',
    description:
      'That could not be read, or has no room in the answer: alerts on it do not fire, or have ended without being over.',
  },
  {
    alert: 'PoolkeeperPoolUnreadable',
    expr: `${poolState.name}{state="unreadable"} == 1`,
    for: '10m',
    severity: 'warning',
    summary: 'Pool {{ $labels.pool }} of {{ $labels.cluster }} cannot be parsed',
    description:
      'Nothing pauses or resumes it, and whether it is paused is not known: other alerts on it have ended without being over.',
  },
  {
    alert: 'PoolkeeperPoolPausedLong',
    expr: `${ageWhenRead(poolWaitsSince.name)} > 4 * 3600`,
    for: '5m',
    severity: 'warning',
    summary: 'Pool {{ $labels.pool }} of {{ $labels.cluster }} has been paused for more than four hours',
    description:
      'Its nodes get no changes and, on OpenShift before 4.13, no new certificates. `poolkeeper why {{ $labels.pool }}` says who keeps it paused.',
  },
  {
    alert: 'PoolkeeperPoolDegraded',
    expr: `${poolState.name}{state="degraded"} == 1`,
    for: '15m',
    severity: 'warning',
    summary: 'Pool {{ $labels.pool }} of {{ $labels.cluster }} is degraded',
    description: 'The incident of Poolkeeper names the node, the cause and the remedy.',
  },
  {
    alert: 'PoolkeeperHoldOverdue',
    expr: `${holdsOverdue.name} > 0`,
    for: '15m',
    severity: 'warning',
    summary: '{{ $value }} holds on pool {{ $labels.pool }} of {{ $labels.cluster }} are past their end',
    description: 'A sync runs for longer than it should, or failed and nobody has decided.',
  },
  {
    alert: 'PoolkeeperPauseLate',
    expr: `time() - ${raceLost.name}{verdict="late"} < 3600`,
    for: '0m',
    severity: 'warning',
    summary: 'The pause of pool {{ $labels.pool }} of {{ $labels.cluster }} came late',
    description:
      'Within the last hour, a node was targeted before the pause was confirmed. The level handshake, admission or guard has no race.',
  },
  {
    alert: 'PoolkeeperPauseUnprotected',
    expr: `time() - ${raceLost.name}{verdict="unprotected"} < 3600`,
    for: '0m',
    severity: 'warning',
    summary: 'The pause of pool {{ $labels.pool }} of {{ $labels.cluster }} was not confirmed in time',
    description:
      'Within the last hour, a sync ran without the Machine Config Operator having observed the pause. Is the machine-config-controller running?',
  },
  {
    alert: 'PoolkeeperGateClosedLong',
    expr: `${ageWhenRead(gateClosedSince.name)} > 24 * 3600`,
    for: '15m',
    severity: 'warning',
    summary: 'Gate {{ $labels.gate }} has kept pool {{ $labels.pool }} of {{ $labels.cluster }} paused for a day',
    description: '`poolkeeper why {{ $labels.pool }}` says who can open it.',
  },
  {
    alert: 'PoolkeeperIncident',
    expr: `sum by (cluster, pool, kind, severity) (${incidents.name}{state="firing", severity=~"critical|high"}) > 0`,
    for: '0m',
    severity: 'critical',
    summary: 'Incident {{ $labels.kind }} of {{ $labels.cluster }}/{{ $labels.pool }}',
    description: 'The status page and the message of Poolkeeper name the cause and the remedy.',
  },
];

/** The rules as a file for Prometheus; on OpenShift the groups go into a PrometheusRule. */
export function alertRules(): string {
  const file = {
    groups: [
      {
        name: 'poolkeeper',
        rules: rules.map(({ severity, summary, description, ...rule }) => ({
          ...rule,
          labels: { severity },
          annotations: { summary, description },
        })),
      },
    ],
  };
  return `# Generated from local/monitoring/alert-rules.ts. What each metric means: docs/metrics.md\n${stringify(file, { lineWidth: 0 })}`;
}
