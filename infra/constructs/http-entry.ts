import { type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogField, AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { CfnStage, HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Entrance, Settings } from '../settings.ts';
import { RouteToFunction, type RouteToFunctionProps } from './route-to-function.ts';

export interface HttpEntryProps {
  readonly settings: Settings;
}

/** The HTTP API that GitHub, Argo CD, the clusters and people call. */
export class HttpEntry extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, { settings }: HttpEntryProps) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    this.api = new HttpApi(this, 'Api', {
      apiName: stackName,
      description: 'Webhooks, handshake and status page of Poolkeeper',
      createDefaultStage: false,
    });
    const accessLogs = new LogGroup(this, 'AccessLogs', {
      // Names under /aws/vendedlogs/ need no entry in the account's log resource policy, which is limited to 5,120
      // characters.
      logGroupName: `/aws/vendedlogs/${stackName}/http`,
      retention: settings.logRetention,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      autoDeploy: true,
      detailedMetricsEnabled: true,
      accessLogSettings: { destination: new LogGroupLogDestination(accessLogs), format: accessLogFormat() },
    });
  }

  /** Every route has a limit of its own, so that a flood at one does not use up that of the others. */
  addRoute(props: Omit<RouteToFunctionProps, 'api'>, { requestsPerSecond, burst }: Entrance): void {
    const key = `${props.method} ${props.path}`;
    const { route } = new RouteToFunction(this, key, { ...props, api: this.api });
    const stage = this.stage.node.defaultChild;
    if (!(stage instanceof CfnStage)) throw new Error('the stage is not a CfnStage');
    stage.addPropertyOverride(`RouteSettings.${key}`, {
      ThrottlingRateLimit: requestsPerSecond,
      ThrottlingBurstLimit: burst,
      DetailedMetricsEnabled: true,
    });
    // A stage may only name routes that exist.
    stage.node.addDependency(route);
  }

  get url(): string {
    return this.stage.url;
  }

  requests(period: Duration): Metric {
    return this.stage.metricCount({ period, statistic: 'Sum' });
  }

  /** 4xx responses: bad signatures, wrong tokens, oversized bodies, throttled requests. */
  refused(period: Duration): Metric {
    return this.stage.metricClientError({ period, statistic: 'Sum' });
  }

  /** 5xx responses: what was sent is lost unless the sender retries. */
  failed(period: Duration): Metric {
    return this.stage.metricServerError({ period, statistic: 'Sum' });
  }

  slowestMs(period: Duration): Metric {
    return this.stage.metricLatency({ period, statistic: 'p99' });
  }
}

/** No headers, query or body: signatures and tokens travel there. The caller's address is logged to see who is guessing
 *  signatures. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: AccessLogField.contextRequestId(),
      at: AccessLogField.contextRequestTimeEpoch(),
      from: AccessLogField.contextIdentitySourceIp(),
      route: '$context.routeKey',
      status: AccessLogField.contextStatus(),
      bytes: AccessLogField.contextResponseLength(),
      ms: AccessLogField.contextResponseLatency(),
      functionMs: AccessLogField.contextIntegrationLatency(),
      functionError: '$context.integrationErrorMessage',
    }),
  );
}
