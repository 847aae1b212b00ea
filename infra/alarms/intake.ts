import type { MetricAlarm } from '../constructs/alarms.ts';
import { ownMetric } from '../metrics.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, once, oneHour, persistently } from './evaluation.ts';
import { sum } from './metric-math.ts';

/** The HTTP API: requests that fail, are refused or carry the wrong secret. */
export function intakeAlarms({ http, functions, settings }: Resources): readonly MetricAlarm[] {
  const { 'receive-github': github, 'receive-argocd': argocd, 'receive-cluster': cluster, handshake } = functions;
  const slack = functions['receive-slack'];
  const locks = functions['fleet-lock'];
  const callbacks = functions['receive-callback'];
  const { redeliver } = functions;
  return [
    {
      kind: 'metric',
      name: 'http-failing',
      impact:
        'Webhooks get a 5xx and are lost: neither GitHub nor Argo CD sends them again. Ticks make up for them, late.',
      urgency: 'urgent',
      metric: http.failed(fiveMinutes),
      breach: { above: 0 },
      ...persistently,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'http-refused',
      impact: 'Either somebody is probing the API, or our limit answers genuine webhooks with 429 and they are lost.',
      urgency: 'soon',
      metric: http.refused(fiveMinutes),
      // One refused request every three seconds is more than a typo in one webhook's configuration.
      breach: { above: 100 },
      ...persistently,
      missingData: 'fine',
    },
    {
      kind: 'metric',
      name: 'callers-unauthorized',
      impact: 'If the caller is genuine, its secret no longer matches ours and everything it sends is dropped.',
      urgency: 'soon',
      metric: sum(
        [github, argocd, cluster, handshake, slack, locks, callbacks]
          .filter((of) => of !== undefined)
          .map((of) => ownMetric({ of, stage: settings.stage, name: 'requestsUnauthorized', period: oneHour })),
        { label: 'unauthorized', period: oneHour },
      ),
      breach: { above: 3 },
      ...once,
      missingData: 'fine',
    },
    ...(redeliver === undefined
      ? []
      : [
          {
            kind: 'metric',
            name: 'deliveries-lost',
            impact: 'GitHub could not deliver several pushes: pools are paused for them late, or not at all.',
            urgency: 'soon',
            metric: ownMetric({ of: redeliver, stage: settings.stage, name: 'deliveriesLost', period: oneHour }),
            // One or two are asked for again, and arrive.
            breach: { above: 3 },
            ...once,
            missingData: 'fine',
          } as const,
        ]),
  ];
}
