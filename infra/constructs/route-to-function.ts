import { Duration, Validations } from 'aws-cdk-lib';
import { type HttpApi, HttpMethod, HttpRoute, HttpRouteKey, PayloadFormatVersion } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface RouteToFunctionProps {
  readonly api: HttpApi;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answeredBy: PoolkeeperFunction;
  /** How the function knows its caller; stands in the acknowledgement that the route has no authorizer. */
  readonly callerIsKnownBy: string;
}

/** One route of the front door, answered by one function that this route may invoke. */
export class RouteToFunction extends Construct {
  constructor(scope: Construct, id: string, props: RouteToFunctionProps) {
    super(scope, id);
    const route = new HttpRoute(this, 'Route', {
      httpApi: props.api,
      routeKey: HttpRouteKey.with(props.path, HttpMethod[props.method]),
      integration: new HttpLambdaIntegration('Integration', props.answeredBy.target as IFunction, {
        payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
        // API Gateway gives up after 30 s whatever the function does; a second less keeps the answer ours.
        timeout: Duration.seconds(29),
      }),
    });
    Validations.of(route).acknowledge({
      id: 'AwsSolutions-APIG4',
      reason: `Not open, but checked by the function: ${props.callerIsKnownBy}`,
    });
  }
}
