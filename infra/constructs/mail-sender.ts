import { Stack } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

/** Lets a function send mail from these addresses and no other. An address may be verified itself or through its
 *  domain, and SES asks for the right on whichever it finds, so both are granted; the condition keeps the domain's
 *  other addresses out. SendRawEmail is what SES may ask for when a mail has headers of its own.
 *  Source: Amazon SES, "Actions, resources and condition keys". */
export function letSendMailFrom(addresses: readonly string[], sender: PoolkeeperFunction): void {
  for (const address of addresses) {
    Grant.addToPrincipal({
      grantee: sender,
      actions: ['ses:SendEmail', 'ses:SendRawEmail'],
      resourceArns: [address, domainOf(address)].map((identity) => identityArn(sender, identity)),
      conditions: { StringEquals: { 'ses:FromAddress': address } },
    });
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function identityArn(scope: PoolkeeperFunction, identity: string): string {
  return Stack.of(scope).formatArn({ service: 'ses', resource: 'identity', resourceName: identity });
}
