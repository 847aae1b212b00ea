import { describe, expect, it } from 'vitest';
import { type EntranceName, settingsOf } from '../../infra/settings.ts';
import { type Resource, stage } from './synthesised.ts';

/** Executions at once that an account has by default, and those that Lambda keeps unreserved. Source: AWS Lambda
 *  quotas; "Configuring reserved concurrency for a function". */
const [ofAccount, unreserved] = [1000, 100];

const prod = stage('prod');
const { entrances, workers } = settingsOf('prod');

/** The route keys of each entrance. */
const routes: Readonly<Record<EntranceName, readonly string[]>> = {
  github: ['POST /github'],
  argocd: ['POST /argocd'],
  cluster: ['POST /cluster'],
  handshake: ['POST /handshake'],
  fleetLock: ['ANY /fleet-lock/{proxy+}'],
  callback: ['POST /callbacks/{id}'],
  slack: ['POST /slack'],
  status: ['GET /status', 'GET /metrics', 'GET /healthz', 'GET /causes'],
};

function reservedOf({ Properties }: Resource): number | undefined {
  return Properties.ReservedConcurrentExecutions;
}

function functionNamed(name: string): Resource {
  const found = prod
    .ofType('AWS::Lambda::Function')
    .find(({ Properties }) => Properties.FunctionName === `poolkeeper-prod-${name}`);
  if (found === undefined) throw new Error(`no function ${name}`);
  return found;
}

describe('[N-30] a flood at one entrance', () => {
  const [httpStage] = prod.ofType('AWS::ApiGatewayV2::Stage');
  const settings: Readonly<Record<string, unknown>> = httpStage?.Properties.RouteSettings;

  it('meets the limit of its own route: every route has one, and none shares a default', () => {
    const keys = prod.ofType('AWS::ApiGatewayV2::Route').map(({ Properties }) => Properties.RouteKey);

    expect(Object.keys(settings).toSorted()).toEqual(keys.toSorted());
    expect(httpStage?.Properties.DefaultRouteSettings?.ThrottlingRateLimit).toBeUndefined();
    for (const [name, own] of Object.entries(routes)) {
      const { requestsPerSecond, burst } = entrances[name as EntranceName];
      for (const key of own) {
        expect(settings[key]).toEqual({
          ThrottlingRateLimit: requestsPerSecond,
          ThrottlingBurstLimit: burst,
          DetailedMetricsEnabled: true,
        });
      }
    }
  });

  it('has routes that exist before the stage names them', () => {
    const dependsOn: readonly string[] = (httpStage as unknown as { readonly DependsOn: readonly string[] }).DependsOn;

    expect(dependsOn).toEqual(expect.arrayContaining(prod.ofType('AWS::ApiGatewayV2::Route').map(({ id }) => id)));
  });

  it('takes the executions of its own function: every receiver, the handshake and the passes have theirs', () => {
    const reserved = Object.fromEntries(
      [
        'receive-github',
        'receive-argocd',
        'receive-cluster',
        'handshake',
        'fleet-lock',
        'receive-callback',
        'receive-slack',
        'status',
      ].map((name) => [name, reservedOf(functionNamed(name))]),
    );

    expect(reserved).toEqual({
      'receive-github': entrances.github.reserved,
      'receive-argocd': entrances.argocd.reserved,
      'receive-cluster': entrances.cluster.reserved,
      handshake: entrances.handshake.reserved,
      'fleet-lock': entrances.fleetLock.reserved,
      'receive-callback': entrances.callback.reserved,
      'receive-slack': entrances.slack.reserved,
      status: entrances.status.reserved,
    });
    expect(reservedOf(functionNamed('keep-pools'))).toBeGreaterThanOrEqual(workers.keepPools);
    expect(Object.values(reserved).every((count) => (count ?? 0) > 0)).toBe(true);
  });

  it('leaves the account more than Lambda keeps unreserved', () => {
    const all = prod.ofType('AWS::Lambda::Function').map((fn) => reservedOf(fn) ?? 0);

    expect(all.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual((ofAccount - unreserved) / 2);
  });

  it('is not reserved against in a stage to try things: it deploys to an account with a quota of ten', () => {
    const reserved = stage('dev').ofType('AWS::Lambda::Function').map(reservedOf);

    expect(reserved.filter((count) => count !== undefined)).toEqual([]);
  });
});
