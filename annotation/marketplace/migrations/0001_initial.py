import annotation.marketplace.ids
import annotation.marketplace.models.draws
import django.db.models.deletion
import django.db.models.expressions
import django.db.models.functions.text
import uuid
from django.conf import settings
from django.db import migrations, models

from annotation.accounts.create_tables import CreateTables


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [CreateTables([
        migrations.CreateModel(
            name='Registration',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('called', models.CharField(max_length=150)),
                ('email', models.EmailField(max_length=254)),
                ('password', models.CharField(max_length=128)),
                ('terms_version', models.CharField(max_length=40)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='SigningKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('fingerprint', models.CharField(max_length=64, unique=True)),
                ('sealed_key', models.TextField()),
                ('certificate', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Throttle',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64, unique=True)),
                ('count', models.IntegerField(default=0)),
                ('until', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='Wording',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('text', models.TextField()),
            ],
        ),
        migrations.CreateModel(
            name='ClockOffset',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seconds', models.BigIntegerField(default=0)),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('id', 1)), name='marketplace_one_clock'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Requester',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('balance_cents', models.BigIntegerField(default=0)),
                ('held_cents', models.BigIntegerField(default=0)),
                ('display_name', models.CharField(blank=True, max_length=100)),
                ('pays', models.CharField(choices=[('ledger', 'Ledger'), ('voucher', 'Voucher'), ('credit', 'Course credit'), ('volunteer', 'Volunteer'), ('elsewhere', 'Elsewhere')], default='ledger', max_length=9)),
                ('created_at', models.DateTimeField()),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='requester', to=settings.AUTH_USER_MODEL)),
                ('consent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.wording')),
                ('debrief', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.wording')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('balance_cents__gte', 0)), name='marketplace_balance_not_negative'),
                    models.CheckConstraint(condition=models.Q(('held_cents__gte', 0)), name='marketplace_held_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HitType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('group_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('title', models.CharField(max_length=128)),
                ('description', models.TextField()),
                ('keywords', models.TextField(blank=True)),
                ('reward_cents', models.BigIntegerField()),
                ('assignment_seconds', models.BigIntegerField()),
                ('auto_approval_seconds', models.BigIntegerField()),
                ('requirements', models.JSONField(default=list)),
                ('digest', models.CharField(max_length=64)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('study', models.CharField(blank=True, max_length=64)),
                ('cell', models.CharField(blank=True, max_length=80)),
                ('by_channel', models.BooleanField(default=False)),
                ('created_at', models.DateTimeField()),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hit_types', to='marketplace.requester')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['requester', 'study'], name='marketplace_type_study'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('requester', 'digest'), name='marketplace_equal_types_are_one'),
                    models.CheckConstraint(condition=models.Q(('reward_cents__gte', 0)), name='marketplace_reward_not_negative'),
                    models.CheckConstraint(condition=models.Q(('assignment_seconds__gte', 30)), name='marketplace_duration_from_30'),
                    models.CheckConstraint(condition=models.Q(('auto_approval_seconds__gte', 0)), name='marketplace_delay_from_0'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Hit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hit_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('kind', models.CharField(choices=[('HTMLQuestion', 'Html'), ('ExternalQuestion', 'External'), ('QuestionForm', 'Form')], max_length=20)),
                ('question', models.TextField()),
                ('annotation', models.CharField(blank=True, max_length=255)),
                ('max_assignments', models.BigIntegerField(default=1)),
                ('fees', models.CharField(default='none', max_length=10)),
                ('pending', models.BigIntegerField(default=0)),
                ('submitted', models.BigIntegerField(default=0)),
                ('completed', models.BigIntegerField(default=0)),
                ('status', models.CharField(choices=[('Assignable', 'Assignable'), ('Unassignable', 'Unassignable'), ('Reviewable', 'Reviewable'), ('Reviewing', 'Reviewing'), ('Disposed', 'Disposed')], default='Assignable', max_length=12)),
                ('held_cents', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('expiration', models.DateTimeField()),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('disposed_at', models.DateTimeField(blank=True, null=True)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('hit_type', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='marketplace.hittype')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='marketplace.requester')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['requester', 'id'], name='marketplace_hit_own'),
                    models.Index(fields=['requester', 'status', 'id'], name='marketplace_hit_own_status'),
                    models.Index(fields=['hit_type', 'status', 'id'], name='marketplace_hit_type_status'),
                    models.Index(fields=['status', 'id'], name='marketplace_hit_status'),
                    models.Index(condition=models.Q(('status', 'Assignable')), fields=['hit_type'], name='marketplace_hit_open'),
                    models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='marketplace_hit_due'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('completed__gte', 0), ('pending__gte', 0), ('submitted__gte', 0)), name='marketplace_counters_not_negative'),
                    models.CheckConstraint(condition=models.Q(('max_assignments__gte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('pending'), '+', models.F('submitted')), '+', models.F('completed')))), name='marketplace_places_not_exceeded'),
                    models.CheckConstraint(condition=models.Q(('held_cents__gte', 0)), name='marketplace_hold_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='NoticeAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.CharField(default=annotation.marketplace.ids.account_number, max_length=12, unique=True)),
                ('customer_id', models.CharField(default=annotation.marketplace.ids.worker_id, max_length=14)),
                ('requester', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='notice_account', to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='Endpoint',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('transport', models.CharField(choices=[('Email', 'Email'), ('SQS', 'Sqs'), ('SNS', 'Sns')], max_length=5)),
                ('name', models.CharField(max_length=80)),
                ('url', models.URLField(blank=True, max_length=500)),
                ('created_at', models.DateTimeField()),
                ('confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('account', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='endpoints', to='marketplace.noticeaccount')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('account', 'transport', 'name'), name='marketplace_endpoint_name_once'),
                    models.UniqueConstraint(condition=models.Q(('transport', 'SNS')), fields=('account', 'url'), name='marketplace_endpoint_url_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Document',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('doc_id', models.CharField(default=annotation.marketplace.ids.document_id, max_length=40, unique=True)),
                ('message_id', models.UUIDField(default=uuid.uuid4)),
                ('kind', models.CharField(choices=[('Notification', 'Events'), ('SubscriptionConfirmation', 'Confirmation')], default='Notification', max_length=24)),
                ('transport', models.CharField(choices=[('Email', 'Email'), ('SQS', 'Sqs'), ('SNS', 'Sns')], max_length=5)),
                ('destination', models.CharField(max_length=500)),
                ('body', models.TextField()),
                ('created_at', models.DateTimeField()),
                ('attempts', models.IntegerField(default=0)),
                ('next_attempt_at', models.DateTimeField(blank=True, null=True)),
                ('delivered_at', models.DateTimeField(blank=True, null=True)),
                ('given_up_at', models.DateTimeField(blank=True, null=True)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='marketplace.endpoint')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='documents', to='marketplace.requester')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('next_attempt_at__isnull', False)), fields=['next_attempt_at'], name='marketplace_doc_due'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Channel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('channel_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('name', models.CharField(max_length=100)),
                ('title', models.CharField(blank=True, max_length=200)),
                ('kind', models.CharField(max_length=20)),
                ('study', models.CharField(blank=True, max_length=64)),
                ('opens_at', models.DateTimeField(blank=True, null=True)),
                ('closes_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('most_people', models.PositiveIntegerField(blank=True, null=True)),
                ('pays', models.CharField(blank=True, choices=[('ledger', 'Ledger'), ('voucher', 'Voucher'), ('credit', 'Course credit'), ('volunteer', 'Volunteer'), ('elsewhere', 'Elsewhere')], max_length=9)),
                ('pay_words', models.CharField(blank=True, max_length=300)),
                ('return_url', models.CharField(blank=True, max_length=1000)),
                ('completion_code', models.CharField(blank=True, max_length=100)),
                ('stop_code', models.CharField(blank=True, max_length=100)),
                ('has_supplied_codes', models.BooleanField(default=False)),
                ('contact', models.CharField(blank=True, max_length=200)),
                ('request_token', models.CharField(blank=True, max_length=64)),
                ('retain_until', models.DateTimeField(blank=True, null=True)),
                ('purged_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField()),
                ('hit_types', models.ManyToManyField(blank=True, related_name='channels', to='marketplace.hittype')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='channels', to='marketplace.requester')),
                ('consent', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.wording')),
                ('debrief', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.wording')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['requester', 'study'], name='marketplace_channel_study'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('requester', 'study', 'name'), name='marketplace_channel_name_once'),
                    models.UniqueConstraint(condition=models.Q(('request_token', ''), _negated=True), fields=('requester', 'request_token'), name='marketplace_channel_opened_once'),
                    models.CheckConstraint(condition=models.Q(('opens_at', None), ('closes_at', None), ('closes_at__gt', models.F('opens_at')), _connector='OR'), name='marketplace_channel_closes_after_opening'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QueueMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('message_id', models.UUIDField(default=uuid.uuid4, unique=True)),
                ('body', models.TextField()),
                ('sent_at', models.DateTimeField()),
                ('visible_at', models.DateTimeField()),
                ('receive_count', models.IntegerField(default=0)),
                ('first_received_at', models.DateTimeField(blank=True, null=True)),
                ('receipt', models.CharField(blank=True, max_length=43)),
                ('queue', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='marketplace.endpoint')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['queue', 'visible_at'], name='marketplace_queue_visible'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QualificationType',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('type_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('name', models.CharField(max_length=200)),
                ('description', models.TextField()),
                ('keywords', models.TextField(blank=True)),
                ('status', models.CharField(choices=[('Active', 'Active'), ('Inactive', 'Inactive')], max_length=8)),
                ('retry_delay_seconds', models.BigIntegerField(blank=True, null=True)),
                ('auto_granted', models.BooleanField(default=False)),
                ('auto_granted_value', models.IntegerField(default=1)),
                ('once', models.BooleanField(default=False)),
                ('test', models.TextField(blank=True)),
                ('test_seconds', models.BigIntegerField(blank=True, null=True)),
                ('answer_key', models.TextField(blank=True)),
                ('created_at', models.DateTimeField()),
                ('deleted_at', models.DateTimeField(blank=True, null=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='qualification_types', to='marketplace.requester')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('deleted_at__isnull', True)), fields=('requester', 'name'), name='marketplace_qualification_name_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Event',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('transport', models.CharField(choices=[('Email', 'Email'), ('SQS', 'Sqs'), ('SNS', 'Sns')], max_length=5)),
                ('destination', models.CharField(max_length=500)),
                ('version', models.CharField(max_length=10)),
                ('event_type', models.CharField(max_length=20)),
                ('happened_at', models.DateTimeField()),
                ('type_id', models.CharField(blank=True, max_length=64)),
                ('hit_id', models.CharField(blank=True, max_length=64)),
                ('assignment_id', models.CharField(blank=True, max_length=64)),
                ('document', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='events', to='marketplace.document')),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='marketplace.endpoint')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='events', to='marketplace.requester')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('document__isnull', True)), fields=['id'], name='marketplace_event_waiting'),
                    models.Index(fields=['hit_id'], name='marketplace_event_hit'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RequestToken',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('scope', models.CharField(max_length=40)),
                ('token', models.CharField(max_length=64)),
                ('used_at', models.DateTimeField(db_index=True)),
                ('result', models.CharField(max_length=64)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='marketplace.requester')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('requester', 'scope', 'token'), name='marketplace_token_used_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Subscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('transport', models.CharField(choices=[('Email', 'Email'), ('SQS', 'Sqs'), ('SNS', 'Sns')], max_length=5)),
                ('destination', models.CharField(max_length=500)),
                ('version', models.CharField(max_length=10)),
                ('event_types', models.JSONField(default=list)),
                ('active', models.BooleanField(default=True)),
                ('endpoint', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='marketplace.endpoint')),
                ('hit_type', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='subscription', to='marketplace.hittype')),
            ],
        ),
        migrations.CreateModel(
            name='SweepMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('id', 1)), name='marketplace_one_sweep_mark'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Refusal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('on', models.DateField()),
                ('channel', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refusals', to='marketplace.channel')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='refusals', to='marketplace.requester')),
                ('wording', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='refusals', to='marketplace.wording')),
            ],
        ),
        migrations.CreateModel(
            name='WorkerAccount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('worker_id', models.CharField(default=annotation.marketplace.ids.worker_id, max_length=64, unique=True)),
                ('name', models.CharField(max_length=150, unique=True)),
                ('called', models.CharField(blank=True, max_length=150)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('email_confirmed_at', models.DateTimeField(blank=True, null=True)),
                ('password', models.CharField(blank=True, max_length=128)),
                ('terms_version', models.CharField(blank=True, max_length=40)),
                ('terms_accepted_at', models.DateTimeField(blank=True, null=True)),
                ('auto_accept', models.BooleanField(default=False)),
                ('payee', models.CharField(blank=True, max_length=200)),
                ('country', models.CharField(blank=True, max_length=2)),
                ('subdivision', models.CharField(blank=True, max_length=2)),
                ('adult', models.BooleanField(default=False)),
                ('masters', models.BooleanField(default=False)),
                ('active', models.BooleanField(default=True)),
                ('submitted_count', models.BigIntegerField(default=0)),
                ('approved_count', models.BigIntegerField(default=0)),
                ('rejected_count', models.BigIntegerField(default=0)),
                ('earned_cents', models.BigIntegerField(default=0)),
                ('owed_cents', models.BigIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('channel', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='workers', to='marketplace.channel')),
            ],
            options={
                'permissions': [('see_identity', 'Can see names, addresses and payees of workers')],
                'constraints': [
                    models.UniqueConstraint(django.db.models.functions.text.Lower('email'), condition=models.Q(('email_confirmed_at__isnull', False)), name='marketplace_confirmed_address_once'),
                    models.CheckConstraint(condition=models.Q(('approved_count__gte', 0), ('earned_cents__gte', 0), ('rejected_count__gte', 0), ('submitted_count__gte', 0)), name='marketplace_worker_counts_not_negative'),
                    models.CheckConstraint(condition=models.Q(('owed_cents__gte', 0)), name='marketplace_owed_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Assignment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('assignment_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('state', models.CharField(choices=[('Accepted', 'Accepted'), ('Returned', 'Returned'), ('Abandoned', 'Abandoned'), ('Submitted', 'Submitted'), ('Approved', 'Approved'), ('Rejected', 'Rejected')], default='Accepted', max_length=10)),
                ('accepted_at', models.DateTimeField()),
                ('deadline', models.DateTimeField()),
                ('given_up_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('auto_approval_at', models.DateTimeField(blank=True, null=True)),
                ('approved_at', models.DateTimeField(blank=True, null=True)),
                ('rejected_at', models.DateTimeField(blank=True, null=True)),
                ('feedback', models.TextField(blank=True)),
                ('due_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('shown_reward_cents', models.BigIntegerField(blank=True, null=True)),
                ('shown_currency', models.CharField(blank=True, max_length=3)),
                ('shown_minutes', models.PositiveIntegerField(blank=True, null=True)),
                ('shown_minutes_people', models.PositiveIntegerField(default=0)),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplace.hit')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='assignments', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['hit', 'submitted_at', 'id'], name='marketplace_asg_submitted'),
                    models.Index(fields=['worker', 'id'], name='marketplace_asg_worker'),
                    models.Index(fields=['worker', 'hit'], name='marketplace_asg_pair'),
                    models.Index(condition=models.Q(('due_at__isnull', False)), fields=['due_at'], name='marketplace_asg_due'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state__in', ['Returned', 'Abandoned']), _negated=True), fields=('hit', 'worker'), name='marketplace_one_hold_per_worker'),
                    models.CheckConstraint(condition=models.Q(models.Q(('auto_approval_at__isnull', False), ('submitted_at__isnull', False)), ('state__in', ['Accepted', 'Returned', 'Abandoned']), _connector='OR'), name='marketplace_handed_in_has_times'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AssignmentDevice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=16)),
                ('noted_at', models.DateTimeField(db_index=True)),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='device', to='marketplace.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='Draft',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('content', models.TextField()),
                ('saved_at', models.DateTimeField()),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='draft', to='marketplace.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='Reply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField()),
                ('sent_at', models.DateTimeField()),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='reply', to='marketplace.assignment')),
            ],
            options={
                'verbose_name_plural': 'replies',
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='marketplace_reply_has_words'),
                ],
            },
        ),
        migrations.CreateModel(
            name='BonusPayment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount_cents', models.BigIntegerField()),
                ('fee_cents', models.BigIntegerField()),
                ('reason', models.TextField()),
                ('granted_at', models.DateTimeField()),
                ('assignment', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonuses', to='marketplace.assignment')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='bonuses', to='marketplace.requester')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount_cents__gt', 0), ('fee_cents__gte', 0)), name='marketplace_bonus_positive'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('raw', models.TextField()),
                ('answer', models.TextField()),
                ('received_at', models.DateTimeField()),
                ('assignment', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='submission', to='marketplace.assignment')),
            ],
        ),
        migrations.CreateModel(
            name='WithdrawalKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='withdrawal_keys', to='marketplace.workeraccount')),
            ],
        ),
        migrations.CreateModel(
            name='TestAttempt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('attempt_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('test', models.TextField()),
                ('answer_key', models.TextField(blank=True)),
                ('began_at', models.DateTimeField()),
                ('deadline', models.DateTimeField()),
                ('answered_at', models.DateTimeField(blank=True, null=True)),
                ('answer', models.TextField(blank=True)),
                ('score', models.IntegerField(blank=True, null=True)),
                ('qualification_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='attempts', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='test_attempts', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['qualification_type', 'worker', 'id'], name='marketplace_attempt_of'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QualificationRequest',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('request_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('state', models.CharField(choices=[('Pending', 'Pending'), ('Granted', 'Granted'), ('Rejected', 'Rejected')], default='Pending', max_length=8)),
                ('asked_at', models.DateTimeField()),
                ('reason', models.TextField(blank=True)),
                ('test', models.TextField(blank=True)),
                ('answer', models.TextField(blank=True)),
                ('qualification_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='requests', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='qualification_requests', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['qualification_type', 'state', 'id'], name='marketplace_qreq_state'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('state', 'Pending')), fields=('qualification_type', 'worker'), name='marketplace_one_pending_request'),
                ],
            },
        ),
        migrations.CreateModel(
            name='QualificationGrant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('value', models.IntegerField(default=1)),
                ('status', models.CharField(choices=[('Granted', 'Granted'), ('Revoked', 'Revoked')], default='Granted', max_length=8)),
                ('granted_at', models.DateTimeField()),
                ('qualification_type', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='marketplace.qualificationtype')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='grants', to='marketplace.workeraccount')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('qualification_type', 'worker'), name='marketplace_granted_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Payout',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('payout_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('batch', models.CharField(db_index=True, max_length=64)),
                ('amount_cents', models.BigIntegerField()),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('state', models.CharField(choices=[('sent', 'Sent'), ('paid', 'Paid'), ('failed', 'Failed')], default='sent', max_length=6)),
                ('reference', models.CharField(blank=True, max_length=200)),
                ('created_at', models.DateTimeField()),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payouts', to='marketplace.workeraccount')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('amount_cents__gt', 0)), name='marketplace_payout_positive'),
                    models.UniqueConstraint(fields=('batch', 'worker', 'currency'), name='marketplace_payout_once_in_batch'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OneTimeLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('sign-in', 'Sign In'), ('reset', 'Reset'), ('email', 'Email'), ('resume', 'Resume')], default='sign-in', max_length=7)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='marketplace.workeraccount')),
            ],
        ),
        migrations.CreateModel(
            name='RequesterBalance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('balance_cents', models.BigIntegerField(default=0)),
                ('held_cents', models.BigIntegerField(default=0)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='balances', to='marketplace.requester')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('requester', 'currency'), name='marketplace_balance_once_per_currency'),
                    models.CheckConstraint(condition=models.Q(('balance_cents__gte', 0), ('held_cents__gte', 0)), name='marketplace_balances_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerBalance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('currency', models.CharField(max_length=3)),
                ('earned_cents', models.BigIntegerField(default=0)),
                ('owed_cents', models.BigIntegerField(default=0)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='balances', to='marketplace.workeraccount')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('worker', 'currency'), name='marketplace_earned_once_per_currency'),
                    models.CheckConstraint(condition=models.Q(('earned_cents__gte', 0), ('owed_cents__gte', 0)), name='marketplace_earned_not_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('posting', models.UUIDField()),
                ('purpose', models.CharField(choices=[('deposit', 'Deposit'), ('reward', 'Reward'), ('bonus', 'Bonus'), ('hold', 'Hold'), ('payout', 'Payout')], max_length=10)),
                ('account', models.CharField(choices=[('requester', 'Requester'), ('held', 'Held'), ('worker', 'Worker'), ('payout', 'Payout'), ('house', 'House'), ('outside', 'Outside')], max_length=10)),
                ('amount_cents', models.BigIntegerField()),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('posted_at', models.DateTimeField()),
                ('assignment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.assignment')),
                ('hit', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.hit')),
                ('requester', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.requester')),
                ('worker', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='entries', to='marketplace.workeraccount')),
            ],
            options={
                'verbose_name_plural': 'ledger entries',
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('account__in', ['requester', 'held']), ('requester__isnull', False), ('worker__isnull', True)), models.Q(('account__in', ['worker', 'payout']), ('requester__isnull', True), ('worker__isnull', False)), models.Q(('account__in', ['house', 'outside']), ('requester__isnull', True), ('worker__isnull', True)), _connector='OR'), name='marketplace_entry_names_its_account'),
                    models.UniqueConstraint(condition=models.Q(('purpose', 'reward')), fields=('assignment', 'account'), name='marketplace_reward_paid_once'),
                    models.UniqueConstraint(fields=('posting', 'account'), name='marketplace_posting_touches_account_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CountryStatement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('before', models.CharField(blank=True, max_length=5)),
                ('after', models.CharField(max_length=5)),
                ('stated_at', models.DateTimeField()),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='country_statements', to='marketplace.workeraccount')),
            ],
        ),
        migrations.CreateModel(
            name='Consent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('agreed_at', models.DateTimeField()),
                ('channel', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='marketplace.channel')),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='marketplace.requester')),
                ('wording', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='consents', to='marketplace.wording')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='consents', to='marketplace.workeraccount')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('worker', 'requester', 'wording'), name='marketplace_consented_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerBlock',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.TextField()),
                ('blocked_at', models.DateTimeField()),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['requester', 'id'], name='marketplace_block_own'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('requester', 'worker'), name='marketplace_blocked_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerMessage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('subject', models.CharField(max_length=200)),
                ('text', models.TextField()),
                ('sent_at', models.DateTimeField()),
                ('mailed', models.BooleanField(default=False)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='messages', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='messages', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['worker', 'id'], name='marketplace_message_worker'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerSession',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(db_index=True)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sessions', to='marketplace.workeraccount')),
            ],
        ),
        migrations.CreateModel(
            name='Link',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('link_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('id_parameters', models.JSONField(blank=True, default=list)),
                ('id_optional', models.BooleanField(default=False)),
                ('kept_parameters', models.JSONField(blank=True, default=list)),
                ('completion_code', models.CharField(blank=True, max_length=100)),
                ('return_url', models.CharField(blank=True, max_length=1000)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('closed_at', models.DateTimeField(blank=True, null=True)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='links', to='marketplace.channel')),
            ],
        ),
        migrations.CreateModel(
            name='Participant',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('participant_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('mailed_at', models.DateTimeField(blank=True, null=True)),
                ('opened_at', models.DateTimeField(blank=True, null=True)),
                ('began_at', models.DateTimeField(blank=True, null=True)),
                ('declined_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('stopped_at', models.DateTimeField(blank=True, null=True)),
                ('withdrawn_at', models.DateTimeField(blank=True, null=True)),
                ('code', models.CharField(blank=True, max_length=20)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participants', to='marketplace.channel')),
                ('link', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='visitors', to='marketplace.link')),
                ('worker', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='participant', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['channel', 'id'], name='marketplace_participant_of'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('code', ''), _negated=True), fields=('code',), name='marketplace_code_once'),
                    models.CheckConstraint(condition=models.Q(models.Q(('began_at', None), ('worker', None)), models.Q(('began_at__isnull', False), ('worker__isnull', False)), _connector='OR'), name='marketplace_who_began_is_a_worker'),
                    models.CheckConstraint(condition=models.Q(models.Q(('code', ''), ('finished_at', None)), models.Q(models.Q(('code', ''), _negated=True), ('finished_at__isnull', False)), _connector='OR'), name='marketplace_who_finished_has_a_code'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ChannelCount',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('word', models.CharField(max_length=20)),
                ('number', models.PositiveIntegerField(default=0)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='counts', to='marketplace.channel')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('channel', 'word'), name='marketplace_channel_counted_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ChannelWording',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('consent', 'Consent'), ('debrief', 'Debrief')], max_length=7)),
                ('number', models.PositiveIntegerField()),
                ('set_at', models.DateTimeField()),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='marketplace.channel')),
                ('wording', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.wording')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('channel', 'purpose', 'number'), name='marketplace_channel_wording_numbered'),
                ],
            },
        ),
        migrations.CreateModel(
            name='SuppliedCode',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=100)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='supplied_codes', to='marketplace.channel')),
                ('participant', models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='supplied_code', to='marketplace.participant')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['channel', 'participant'], name='marketplace_code_free'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('channel', 'code'), name='marketplace_supplied_code_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ParticipantIdentity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('external_id', models.CharField(blank=True, max_length=200)),
                ('email', models.EmailField(blank=True, max_length=254)),
                ('name', models.CharField(blank=True, max_length=200)),
                ('panel_ids', models.JSONField(blank=True, default=dict)),
                ('channel', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='identities', to='marketplace.channel')),
                ('participant', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='identity', to='marketplace.participant')),
            ],
            options={
                'verbose_name_plural': 'participant identities',
                'indexes': [
                    models.Index(fields=['external_id'], name='marketplace_identity_external'),
                ],
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('external_id', ''), _negated=True), fields=('channel', 'external_id'), name='marketplace_external_id_once'),
                    models.UniqueConstraint(condition=models.Q(('email', ''), _negated=True), fields=('channel', 'email'), name='marketplace_email_once'),
                ],
            },
        ),
        migrations.AddField(
            model_name='link',
            name='participant',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='personal_links', to='marketplace.participant'),
        ),
        # The draw.
        migrations.CreateModel(
            name='StudyDraw',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study', models.CharField(max_length=64)),
                ('seed', models.CharField(default=annotation.marketplace.models.draws.new_seed, max_length=64)),
                ('last_number', models.PositiveBigIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='study_draws', to='marketplace.requester')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('requester', 'study'), name='marketplace_study_drawn_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Draw',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('study', models.CharField(max_length=64)),
                ('cell', models.CharField(max_length=80)),
                ('drawn_at', models.DateTimeField()),
                ('started_at', models.DateTimeField(blank=True, null=True)),
                ('counted', models.BooleanField(default=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.requester')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='draws', to='marketplace.workeraccount')),
            ],
            options={
                'indexes': [
                    models.Index(condition=models.Q(('counted', True)), fields=['requester', 'study', 'cell'], name='marketplace_draw_counted'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('worker', 'requester', 'study'), name='marketplace_one_cell_per_person'),
                ],
            },
        ),
        migrations.CreateModel(
            name='DrawEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField()),
                ('kind', models.CharField(choices=[('drawn', 'Drawn'), ('left', 'Left'), ('came back', 'Rejoined')], max_length=9)),
                ('cell', models.CharField(max_length=80)),
                ('at', models.DateTimeField()),
                ('counts', models.JSONField(default=dict)),
                ('eligible', models.JSONField(default=list)),
                ('tied', models.JSONField(default=list)),
                ('random_number', models.FloatField(blank=True, null=True)),
                ('study_draw', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='marketplace.studydraw')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='marketplace.workeraccount')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study_draw', 'number'), name='marketplace_draw_event_number'),
                    models.CheckConstraint(condition=models.Q(models.Q(('kind', 'drawn'), _negated=True), ('random_number__isnull', False), _connector='OR'), name='marketplace_drawn_by_a_number'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PayoutFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('file_id', models.CharField(default=annotation.marketplace.ids.public_id, max_length=64, unique=True)),
                ('key', models.CharField(max_length=64)),
                ('currency', models.CharField(default='USD', max_length=3)),
                ('state', models.CharField(choices=[('open', 'Open'), ('sent', 'Sent'), ('discarded', 'Discarded')], default='open', max_length=9)),
                ('people', models.PositiveIntegerField()),
                ('amount_minor', models.BigIntegerField()),
                ('created_by', models.CharField(max_length=150)),
                ('created_at', models.DateTimeField()),
                ('settled_by', models.CharField(blank=True, max_length=150)),
                ('settled_at', models.DateTimeField(blank=True, null=True)),
                ('requester', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='payout_files', to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='PurgeMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('identities', models.PositiveIntegerField(default=0)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='marketplace_one_purge_mark')],
            },
        ),
        migrations.CreateModel(
            name='RequesterRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('computed_at', models.DateTimeField(db_index=True)),
                ('decided', models.PositiveIntegerField()),
                ('rejected', models.PositiveIntegerField()),
                ('reversed', models.PositiveIntegerField()),
                ('replies', models.PositiveIntegerField()),
                ('reversed_replies', models.PositiveIntegerField()),
                ('median_approval_seconds', models.PositiveBigIntegerField(blank=True, null=True)),
                ('requester', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='record', to='marketplace.requester')),
            ],
        ),
        migrations.CreateModel(
            name='Settlement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pays', models.CharField(max_length=20)),
                ('tasks', models.PositiveIntegerField()),
                ('amount_minor', models.BigIntegerField()),
                ('file', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='settlements', to='marketplace.payoutfile')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='settlements', to='marketplace.workeraccount')),
            ],
        ),
        migrations.CreateModel(
            name='SettledEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entry', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='settled', to='marketplace.ledgerentry')),
                ('settlement', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='entries', to='marketplace.settlement')),
            ],
            options={
                'verbose_name_plural': 'settled entries',
            },
        ),
        migrations.AddIndex(
            model_name='payoutfile',
            index=models.Index(fields=['requester', 'key'], name='marketplace_payout_file_key'),
        ),
        migrations.AddConstraint(
            model_name='payoutfile',
            constraint=models.CheckConstraint(condition=models.Q(('amount_minor__gte', 0), ('people__gt', 0)), name='marketplace_payout_file_has_people'),
        ),
        migrations.AddConstraint(
            model_name='payoutfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('settled_at', None), ('state', 'open')), models.Q(models.Q(('state', 'open'), _negated=True), ('settled_at__isnull', False)), _connector='OR'), name='marketplace_payout_file_is_settled_once'),
        ),
        migrations.AddConstraint(
            model_name='settlement',
            constraint=models.UniqueConstraint(fields=('file', 'worker'), name='marketplace_settled_once_in_file'),
        ),
        migrations.AddConstraint(
            model_name='settlement',
            constraint=models.CheckConstraint(condition=models.Q(('amount_minor__gte', 0)), name='marketplace_settlement_not_negative'),
        ),
    ])]
