import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

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
