import { ArnFormat, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/** ARNs for a policy, of secrets that were made elsewhere and are named in the configuration by name or ARN.
 *  Six characters that Secrets Manager adds to the name are unknown here; `-??????` is AWS's own form for exactly that,
 *  where a `*` would also match longer names. Source: AWS Secrets Manager, "Authentication and access control". */
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

/** An ARN may be given without the six characters too; AWS advises against names that look as if they had them. */
function isComplete(arn: string): boolean {
  return /-[A-Za-z0-9]{6}$/.test(arn);
}
