import { Stack } from 'aws-cdk-lib';
import { Grant } from 'aws-cdk-lib/aws-iam';
import type { PoolkeeperFunction } from './poolkeeper-function.ts';

/** Lets a function send mail from these addresses and no others. Either the address or its domain may be the verified
 *  identity, and SES checks the permission on whichever it finds, so both are granted; the condition keeps out the
 *  domain's other addresses. The configuration set by which SES tells of bounces needs the permission too. SES may
 *  require SendRawEmail for a mail with custom headers.
 *  Source: Amazon SES, "Actions, resources and condition keys". */
export function grantSendMailFrom(
  addresses: readonly string[],
  configurationSet: string,
  sender: PoolkeeperFunction,
): void {
  for (const address of addresses) {
    Grant.addToPrincipal({
      grantee: sender,
      actions: ['ses:SendEmail', 'ses:SendRawEmail'],
      resourceArns: [
        ...[address, domainOf(address)].map((identity) => arnOf(sender, 'identity', identity)),
        arnOf(sender, 'configuration-set', configurationSet),
      ],
      conditions: { StringEquals: { 'ses:FromAddress': address } },
    });
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

function arnOf(scope: PoolkeeperFunction, resource: string, resourceName: string): string {
  return Stack.of(scope).formatArn({ service: 'ses', resource, resourceName });
}
