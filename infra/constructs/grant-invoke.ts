import { ArnFormat, Stack } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

/** Invoking these functions and no other; of a name, that of this account and region. */
export function grantInvoke(scope: Construct, namesOrArns: readonly string[], invoker: PoolkeeperFunction): void {
  if (namesOrArns.length === 0) return;
  const resourceArns = namesOrArns.map((nameOrArn) =>
    nameOrArn.startsWith('arn:')
      ? nameOrArn
      : Stack.of(scope).formatArn({
          service: 'lambda',
          resource: 'function',
          resourceName: nameOrArn,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
  );
  Grant.addToPrincipal({ grantee: invoker, actions: ['lambda:InvokeFunction'], resourceArns });
}
