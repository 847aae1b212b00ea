import { Duration, Validations } from 'aws-cdk-lib';
import { type HttpApi, HttpMethod, HttpRoute, HttpRouteKey, PayloadFormatVersion } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface RouteToFunctionProps {
  readonly api: HttpApi;
  readonly method: 'ANY' | 'GET' | 'POST';
  readonly path: string;
  readonly handler: PoolkeeperFunction;
  /** How the function authenticates its caller: the reason why the route has no authorizer. */
  readonly authentication: string;
}

/** One route of the HTTP API and the one function that it may invoke. */
export class RouteToFunction extends Construct {
  readonly route: HttpRoute;

  constructor(scope: Construct, id: string, props: RouteToFunctionProps) {
    super(scope, id);
    this.route = new HttpRoute(this, 'Route', {
      httpApi: props.api,
      routeKey: HttpRouteKey.with(props.path, HttpMethod[props.method]),
      integration: new HttpLambdaIntegration('Integration', props.handler.target as IFunction, {
        payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
        // API Gateway gives up after 30 s in any case; with a second less, the response is ours.
        timeout: Duration.seconds(29),
      }),
    });
    Validations.of(this.route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: `Not open, but checked by the function: ${props.authentication}`,
    });
  }
}
