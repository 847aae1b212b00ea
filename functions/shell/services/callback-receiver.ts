import { dynamoTables, openDynamoDb } from '../../adapters/aws/dynamo-tables.ts';
import { systemRuntime } from '../../adapters/time/system-runtime.ts';
import type { ReceiveCallbackPorts } from '../../receive-callback/receive-callback.ts';
import type { ReceiveCallbackEnvironment } from '../environment.ts';
import type { Telemetry } from '../telemetry.ts';

/** The dependencies of receive-callback: the table. */
export function callbackReceiver(
  { TABLE_NAME }: ReceiveCallbackEnvironment,
  telemetry: Telemetry,
): ReceiveCallbackPorts {
  const { clock, newId } = systemRuntime;
  const { ruleCallbacks } = dynamoTables({ client: openDynamoDb(), table: TABLE_NAME, clock, newId });
  return { callbacks: ruleCallbacks, clock, newId, ...telemetry };
}
