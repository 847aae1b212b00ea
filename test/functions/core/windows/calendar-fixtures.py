"""Expected occurrences of recurrence rules, by python-dateutil 2.9.0 and the zones of Python's zoneinfo.

    python3 calendar-fixtures.py > calendar-fixtures.json
"""
import json
import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo
from dateutil.rrule import rrulestr

BEGIN = datetime(2026, 1, 1, tzinfo=timezone.utc)
END = datetime(2028, 1, 1, tzinfo=timezone.utc)

WRITTEN = [
    ('20250106T220000', 'Europe/Berlin', 'FREQ=WEEKLY;BYDAY=TU'),
    ('20200329T023000', 'Europe/Berlin', 'FREQ=DAILY'),
    ('20260101T020000', 'America/New_York', 'FREQ=DAILY;INTERVAL=3'),
    ('20251224T000000', 'Europe/Berlin', 'FREQ=YEARLY'),
    ('20240229T120000', 'UTC', 'FREQ=YEARLY'),
    ('20260131T080000', 'Asia/Tokyo', 'FREQ=MONTHLY'),
    ('20260101T080000', 'Europe/London', 'FREQ=MONTHLY;BYDAY=2TU'),
    ('20260101T080000', 'Europe/London', 'FREQ=MONTHLY;BYDAY=-1FR'),
    ('20260101T080000', 'Europe/London', 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1'),
    ('20260101T080000', 'Australia/Lord_Howe', 'FREQ=MONTHLY;BYMONTHDAY=-1'),
    ('20260101T080000', 'Europe/Berlin', 'FREQ=MONTHLY;BYMONTHDAY=13;BYDAY=FR'),
    ('19970101T090000', 'America/New_York', 'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH'),
    ('19970101T090000', 'America/New_York', 'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8'),
    ('20260101T090000', 'UTC', 'FREQ=YEARLY;BYDAY=20MO'),
    ('20260101T090000', 'UTC', 'FREQ=YEARLY;BYDAY=-1SU'),
    ('20260105T090000', 'UTC', 'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO,TU'),
    ('20260105T090000', 'UTC', 'FREQ=WEEKLY;INTERVAL=2;WKST=MO;BYDAY=SU,MO,TU'),
    ('20251201T090000', 'Europe/Berlin', 'FREQ=DAILY;COUNT=60'),
    ('20251201T090000', 'Europe/Berlin', 'FREQ=WEEKLY;UNTIL=20260401T070000Z'),
    ('20260101T090000', 'UTC', 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'),
    ('20260101T090000', 'UTC', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29'),
    ('20260101T090000', 'UTC', 'FREQ=DAILY;BYDAY=SA,SU;BYMONTH=7,8'),
]

ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Pacific/Apia']
DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']


def drawn(chance):
    every = chance.choice(['DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'])
    parts = ['FREQ=' + every]
    if chance.random() < 0.4:
        parts.append('INTERVAL=%d' % chance.randint(1, 5))
    if chance.random() < 0.3:
        parts.append('BYMONTH=' + ','.join(map(str, sorted(chance.sample(range(1, 13), 3)))))
    if every in ('MONTHLY', 'YEARLY') and chance.random() < 0.4:
        parts.append('BYDAY=%d%s' % (chance.choice([1, 2, 3, -1, -2]), chance.choice(DAYS)))
    elif chance.random() < 0.4:
        parts.append('BYDAY=' + ','.join(chance.sample(DAYS, 2)))
    elif every in ('MONTHLY', 'YEARLY', 'DAILY') and chance.random() < 0.5:
        parts.append('BYMONTHDAY=%d' % chance.choice([1, 15, 29, 30, 31, -1, -3]))
    if every in ('MONTHLY', 'YEARLY') and len(parts) > 2 and chance.random() < 0.3:
        parts.append('BYSETPOS=%d' % chance.choice([1, -1]))
    if chance.random() < 0.2:
        parts.append('COUNT=%d' % chance.randint(1, 40))
    start = datetime(chance.randint(2019, 2026), chance.randint(1, 12), chance.randint(1, 28), chance.randint(0, 23),
                     chance.choice([0, 30]))
    return start.strftime('%Y%m%dT%H%M%S'), chance.choice(ZONES), ';'.join(parts)


def expected(start, zone, rule):
    info = ZoneInfo(zone)
    first = datetime.strptime(start, '%Y%m%dT%H%M%S').replace(tzinfo=info)
    found = set()
    # RFC 5545: the first occurrence counts even where the rule does not have it; dateutil leaves it out.
    wanted = [first]
    if 'COUNT' in rule and first not in list(rrulestr(rule, dtstart=first)):
        return None
    for each in rrulestr(rule, dtstart=first):
        if each.astimezone(timezone.utc) > END + timedelta(days=2):
            break
        wanted.append(each)
    for each in wanted:
        at = each.astimezone(timezone.utc)
        if BEGIN <= at < END:
            found.add(at)
    return [at.strftime('%Y-%m-%dT%H:%MZ') for at in sorted(found)]


chance = random.Random(12)
cases = []
for start, zone, rule in WRITTEN + [drawn(chance) for _ in range(60)]:
    times = expected(start, zone, rule)
    if times is not None:
        cases.append({'start': start, 'zone': zone, 'rule': rule, 'times': times})
print(json.dumps(cases, separators=(',', ':')).replace('{"start"', '\n{"start"'))
