import { ArnFormat, Stack, Validations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

/** ARNs, for a policy, of secrets that exist already and that the configuration gives by name or ARN.
 *  Secrets Manager adds six characters to the name that are unknown here; `-??????` is AWS's own pattern for exactly
 *  that, where `*` would also match longer names. Source: AWS Secrets Manager, "Authentication and access control". */
export function arnsOfNamedSecrets(scope: Construct, namesOrArns: readonly string[]): readonly string[] {
  return namesOrArns.map((nameOrArn) => {
    if (nameOrArn.startsWith('arn:')) return isComplete(nameOrArn) ? nameOrArn : `${nameOrArn}-??????`;
    return Stack.of(scope).formatArn({
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${nameOrArn}-??????`,
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
  });
}

/** Whether an ARN has the six characters; AWS advises against names that look as if they had them. */
function isComplete(arn: string): boolean {
  return /-[A-Za-z0-9]{6}$/.test(arn);
}

/** Tells cdk-nag why roles of these functions may read secrets by a pattern with a star, where `arns` has any. */
export function acknowledgePatterns(arns: readonly string[], ...functions: readonly PoolkeeperFunction[]): void {
  for (const { fn } of functions) {
    for (const arn of arns.filter((each) => each.includes('*'))) {
      Validations.of(fn.role ?? fn).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${readable(Stack.of(fn).resolve(arn))}]`,
        reason:
          'The token secrets of a large fleet have no room in a policy one by one. The star stands for the name of a cluster.',
      });
    }
  }
}

/** An ARN as cdk-nag shows it: <AWS::Region> for a reference. */
function readable(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  if ('Ref' in value) return `<${value.Ref}>`;
  const [separator, parts]: [string, readonly unknown[]] = (value as { 'Fn::Join': [string, readonly unknown[]] })[
    'Fn::Join'
  ];
  return parts.map(readable).join(separator);
}
