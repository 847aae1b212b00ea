import { mapping, matching, seconds, type Values } from './fields.ts';

function functionName() {
  return matching(
    /^(?:arn:aws[a-z-]*:lambda:[a-z0-9-]{1,32}:\d{12}:function:)?[A-Za-z0-9_-]{1,64}(?::[A-Za-z0-9_$-]{1,128})?$/,
    'must be the name or the ARN of a Lambda function',
  );
}

/** The Lambda function that a rule of type lambda invokes. */
export const TurnLambda = mapping({
  functionName: functionName()
    .optional()
    .describe(
      'Name or ARN of the function that is invoked before the node may go, with a CloudEvent. What it returns decides: {"status": "pending"} is asked again, with the same id; {"status": "failed", "message": "..."}, or an error, has failed; anything else is done.',
    ),
  cleanUpFunctionName: functionName().optional().describe('The same after the node is back.'),
  timeoutSeconds: seconds(1, 10).default(5).describe('How long to wait for one answer; a function may run on.'),
});
export type TurnLambda = Values<typeof TurnLambda>;
