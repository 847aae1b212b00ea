"""Starts the emulator with what its CloudFormation and its IAM leave out, as far as this stack needs it.

Every repair makes the emulator behave as AWS documents; none makes it milder. README.md says what is still missing.
"""

import datetime
import json
import os
import re
import string
import time

import ministack.app as gateway
import ministack.core.iam_actions as iam_actions
import ministack.services.cloudformation.provisioners as provisioners
import ministack.services.cloudwatch_logs as cloudwatch_logs
import ministack.services.eventbridge as eventbridge
import ministack.services.lambda_svc as lambda_svc
import ministack.services.scheduler as scheduler
import ministack.services.secretsmanager as secretsmanager
import ministack.services.ses_v2 as ses_v2
import ministack.services.sqs as sqs

handlers = provisioners._RESOURCE_HANDLERS


def answered(response, what):
    """The body of an API answer; raises where the API refused."""
    if response[0] >= 400:
        raise ValueError(f"{what}: {response[2]!r}")
    return json.loads(response[2] or b"{}")


# AWS::Events::Archive: the API is there, the resource type is not.


def archive_fields(name, properties):
    fields = {
        "ArchiveName": name,
        "Description": properties.get("Description", ""),
        "RetentionDays": int(properties.get("RetentionDays") or 0),
    }
    pattern = properties.get("EventPattern")
    if pattern:
        fields["EventPattern"] = pattern if isinstance(pattern, str) else json.dumps(pattern)
    return fields


def create_archive(logical_id, properties, stack):
    name = properties.get("ArchiveName") or provisioners._physical_name(stack, logical_id, max_len=48)
    fields = {**archive_fields(name, properties), "EventSourceArn": properties.get("SourceArn", "")}
    return name, {"Arn": answered(eventbridge._create_archive(fields), "archive")["ArchiveArn"]}


def update_archive(name, _old, properties, _stack):
    return name, {"Arn": answered(eventbridge._update_archive(archive_fields(name, properties)), "archive")["ArchiveArn"]}


handlers["AWS::Events::Archive"] = {
    "create": create_archive,
    "update": update_archive,
    "delete": lambda name, _properties: eventbridge._delete_archive({"ArchiveName": name}),
}


# AWS::SecretsManager::Secret: a generated value without punctuation has none.

secret_string = provisioners._sm_secret_string


def secret_string_as_asked(properties):
    generate = properties.get("GenerateSecretString") or {}
    if str(generate.get("ExcludePunctuation", "")).lower() != "true":
        return secret_string(properties)
    excluded = generate.get("ExcludeCharacters", "") + string.punctuation
    return secret_string({**properties, "GenerateSecretString": {**generate, "ExcludeCharacters": excluded}})


provisioners._sm_secret_string = secret_string_as_asked


# AWS::SecretsManager::Secret: what Ref gives is the ARN.


def secret_name(ref):
    return next((name for name, secret in secretsmanager._secrets.items() if secret.get("ARN") == ref), ref)


def with_arn_as_ref(handler):
    create, update, delete = handler["create"], handler.get("update"), handler["delete"]

    def created(logical_id, properties, stack):
        name, attributes = create(logical_id, properties, stack)
        return attributes.get("Arn", name), attributes

    def updated(ref, old, new, stack, *more):
        name, attributes = update(secret_name(ref), old, new, stack, *more)
        return attributes.get("Arn", name), attributes

    wrapped = {**handler, "create": created, "delete": lambda ref, properties: delete(secret_name(ref), properties)}
    if update:
        wrapped["update"] = updated
    return wrapped


handlers["AWS::SecretsManager::Secret"] = with_arn_as_ref(handlers["AWS::SecretsManager::Secret"])


# AWS::CloudWatch::Alarm on an expression: kept with the first of its figures, and never evaluated here.

alarm_record = provisioners._cw_metric_alarm_record


def alarm_of_expression(name, properties):
    figures = [each["MetricStat"] for each in properties.get("Metrics") or [] if each.get("MetricStat")]
    if not figures:
        return alarm_record(name, properties)
    figure = figures[0]
    simple = {key: value for key, value in properties.items() if key != "Metrics"}
    metric = figure["Metric"]
    return alarm_record(
        name,
        {
            **simple,
            "MetricName": metric["MetricName"],
            "Namespace": metric["Namespace"],
            "Dimensions": metric.get("Dimensions", []),
            "Period": figure.get("Period", 60),
            "Statistic": figure.get("Stat", "Sum"),
        },
    )


provisioners._cw_metric_alarm_record = alarm_of_expression


# API Gateway: an API answers under the name that the output Url says, once a proxy brings that name here.

gateway._EXECUTE_API_RE = re.compile(r"^([a-f0-9]{8})\.execute-api\.(?:localhost|[a-z0-9-]+\.amazonaws\.com)(?::\d+)?$")


# EventBridge Scheduler: its context attributes, and a rate of our own, because a suite cannot wait for minutes.

scheduler._SCHEDULE_TICK_INTERVAL = 0.5
tick_seconds = float(os.environ.get("LAB_TICK_SECONDS", "60"))
rate_seconds = eventbridge._parse_rate_seconds
eventbridge._parse_rate_seconds = lambda expression: tick_seconds if rate_seconds(expression) == 60 else rate_seconds(expression)
invoke_target = eventbridge._invoke_target


def invoke_scheduled(target, event, rule, view=None):
    if event.get("Source") == "aws.scheduler" and "<aws.scheduler." in str(target.get("Input", "")):
        scheduled = datetime.datetime.fromtimestamp(event["Time"], datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        text = target["Input"]
        for name, value in (
            ("scheduled-time", scheduled),
            ("schedule-arn", rule.get("Arn", "")),
            ("execution-id", event["EventId"]),
            ("attempt-number", "1"),
        ):
            text = text.replace(f"<aws.scheduler.{name}>", value)
        target = {**target, "Input": text}
    return invoke_target(target, event, rule, view)


eventbridge._invoke_target = invoke_scheduled


# SQS: StartMessageMoveTask, at once and without a rate; each message goes back to the queue it came from.


def start_message_move_task(data, _url):
    dead_letters = sqs._queue_by_arn(data.get("SourceArn", ""))
    if dead_letters is None:
        raise sqs._Err("ResourceNotFoundException", "The resource that you specified for the SourceArn does not exist.")
    left = []
    for message in dead_letters["messages"]:
        origin = sqs._queue_by_arn(message.get("sys", {}).get("DeadLetterQueueSourceArn", ""))
        if origin is None:
            left.append(message)
            continue
        again = {"receive_count": 0, "first_receive_at": None, "receipt_handle": None, "visible_at": time.time()}
        origin["messages"].append({**message, **again})
    dead_letters["messages"] = left
    sqs.esm_wake.set()
    return {"TaskHandle": "redrive"}


sqs._HANDLERS["StartMessageMoveTask"] = start_message_move_task


# SES: sending is a right on the identity that sends, under the condition key ses:FromAddress.


def sender_of(method, path, body):
    if method != "POST" or path.rstrip("/") != "/v2/email/outbound-emails":
        return None
    try:
        sender = json.loads(body or b"{}").get("FromEmailAddress") or ""
    except ValueError:
        return None
    return sender[sender.rfind("<") + 1 :].rstrip("> ").strip() or None


ses_resource = iam_actions._ses_v2_resource_arn


def ses_identity(method, path, body, region, account):
    sender = sender_of(method, path, body)
    if sender is None:
        return ses_resource(method, path, body, region, account)
    identity = sender if sender in ses_v2._identities else sender.split("@")[-1]
    return f"arn:aws:ses:{region}:{account}:identity/{identity}"


iam_actions._ses_v2_resource_arn = ses_identity
enforce_data_plane = gateway._enforce_data_plane
enforce_ses = gateway._enforce_ses_v2


def enforce_ses_with_sender(method, path, headers, body, query, request_id):
    sender = sender_of(method, path, body)
    if sender is None:
        return enforce_ses(method, path, headers, body, query, request_id)
    if not gateway.AUTH:
        return None
    from ministack.core.responses import get_account_id

    resource = ses_identity(method, path, body, gateway.extract_region(headers, query), get_account_id())
    return enforce_data_plane(
        "sesv2",
        "ses:SendEmail",
        headers,
        query,
        request_id,
        resource_arn=resource,
        service_context={"ses:FromAddress": sender},
        named_resource=resource,
    )


gateway._enforce_ses_v2 = enforce_ses_with_sender


# DynamoDB: the partition keys of the items that a request writes or reads are the condition key dynamodb:LeadingKeys.

dynamodb_context = iam_actions.dynamodb_service_context


def dynamodb_context_with_keys(body):
    context = dynamodb_context(body)
    try:
        request = json.loads(body or b"{}")
        context["dynamodb:LeadingKeys"] = [(request.get("Item") or request["Key"])["pk"]["S"]]
    except (KeyError, TypeError, ValueError):
        pass
    return context


iam_actions.dynamodb_service_context = dynamodb_context_with_keys


# Lambda: a log group that is gone stays gone. Creating one takes logs:CreateLogGroup, which no role of this stack has
# (test/infra); the emulator asks for no right and would bring it back for an invocation that outlives it.

emit_lambda_logs = lambda_svc._emit_lambda_logs


def emit_to_existing_group(function, *details, **more):
    config = function.get("config") or function
    group = (config.get("LoggingConfig") or {}).get("LogGroup")
    if group is None or group in cloudwatch_logs._log_groups:
        emit_lambda_logs(function, *details, **more)


lambda_svc._emit_lambda_logs = emit_to_existing_group


if __name__ == "__main__":
    gateway.main()
