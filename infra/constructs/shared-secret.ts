import { RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

export interface SharedSecretProps {
  /** Who shares it with us, for the console. */
  readonly description: string;
}

/** A secret that a caller proves to know. The first value is made here, so no stack is ever open with a default; its
 *  two newest versions are both accepted, so it is changed here first and at the caller afterwards. */
export class SharedSecret extends Construct {
  readonly arn: string;

  constructor(scope: Construct, id: string, { description }: SharedSecretProps) {
    super(scope, id);
    const secret = new Secret(this, 'Secret', {
      description,
      // 48 letters and digits are 285 bits; without punctuation they survive every shell, header and form.
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

  readBy(...readers: readonly PoolkeeperFunction[]): void {
    letReadSecrets([this.arn], ...readers);
  }
}

/** Reading the value, and nothing about the secret itself. */
export function letReadSecrets(arns: readonly string[], ...readers: readonly PoolkeeperFunction[]): void {
  if (arns.length === 0) return;
  for (const reader of readers) {
    Grant.addToPrincipal({ grantee: reader, actions: ['secretsmanager:GetSecretValue'], resourceArns: [...arns] });
  }
}

/** Putting a new value, for tokens that their user renews; not making, describing or deleting secrets. */
export function letRenewSecrets(arns: readonly string[], ...writers: readonly PoolkeeperFunction[]): void {
  if (arns.length === 0) return;
  for (const writer of writers) {
    Grant.addToPrincipal({ grantee: writer, actions: ['secretsmanager:PutSecretValue'], resourceArns: [...arns] });
  }
}
