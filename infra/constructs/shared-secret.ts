import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface SharedSecretProps {
  /** What it is for; shown in the console. */
  readonly description: string;
}

/** A secret shared with a caller. Its first value is generated, so no stack ever runs with a default. Its two newest
 *  versions are both accepted, so it is rotated here first and at the caller afterwards. */
export class SharedSecret extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { description }: SharedSecretProps) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      description,
      // 48 letters and digits are 285 bits; without punctuation they need no quoting anywhere.
      generateSecretString: { passwordLength: 48, excludePunctuation: true },
      removalPolicy: RemovalPolicy.DESTROY,
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason:
        'The other half is kept at GitHub, in Argo CD or in the cluster, which no rotation function of ours may write.',
    });
    this.arn = secret.secretArn;
  }

  grantRead(...readers: readonly PoolkeeperFunction[]): void {
    grantReadSecrets([this.arn], ...readers);
  }
}

/** Reading values; no metadata. */
export function grantReadSecrets(arns: readonly string[], ...readers: readonly PoolkeeperFunction[]): void {
  if (arns.length === 0) return;
  for (const reader of readers) {
    Grant.addToPrincipal({ grantee: reader, actions: ['secretsmanager:GetSecretValue'], resourceArns: [...arns] });
  }
}

/** Putting new values, for tokens that their user renews; no creating, describing or deleting of secrets. */
export function grantRenewSecrets(arns: readonly string[], ...writers: readonly PoolkeeperFunction[]): void {
  if (arns.length === 0) return;
  for (const writer of writers) {
    Grant.addToPrincipal({ grantee: writer, actions: ['secretsmanager:PutSecretValue'], resourceArns: [...arns] });
  }
}
