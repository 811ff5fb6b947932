import django.core.validators
import django.db.models.deletion
import django.db.models.expressions
import uuid
from django.conf import settings
from django.db import migrations, models

from annotation.accounts.create_tables import CreateTables


KEPT = ("id", "hit_id", "worker_id", "market_id", "accepted_at", "submitted_at", "work_seconds", "received_at")


def protect(apps, schema_editor):
    """Audit rows refuse every change, submissions all but the erasing of answers that a worker takes back."""
    on_postgresql = schema_editor.connection.vendor == "postgresql"
    (_protect_on_postgresql if on_postgresql else _protect_on_sqlite)(schema_editor.execute)


def _protect_on_postgresql(execute):
    erased = (
        "IF NEW.raw = '' AND NEW.raw_format = 'withdrawn' "
        "AND to_jsonb(NEW) - 'raw' - 'raw_format' = to_jsonb(OLD) - 'raw' - 'raw_format' THEN RETURN NEW; END IF; "
    )
    for table, but in (("annotation_submission", erased), ("annotation_auditevent", "")):
        execute(
            f"CREATE FUNCTION {table}_is_immutable() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {but}"
            f"RAISE EXCEPTION '{table} rows are immutable' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        execute(
            f"CREATE TRIGGER {table}_immutable BEFORE UPDATE ON {table} "
            f"FOR EACH ROW EXECUTE FUNCTION {table}_is_immutable()"
        )


def _protect_on_sqlite(execute):
    same = " AND ".join(f"NEW.{name} IS OLD.{name}" for name in KEPT)
    erased = f"WHEN NOT (NEW.raw = '' AND NEW.raw_format = 'withdrawn' AND {same}) "
    for table, but in (("annotation_submission", erased), ("annotation_auditevent", "")):
        execute(
            f"CREATE TRIGGER {table}_immutable BEFORE UPDATE ON {table} {but}"
            f"BEGIN SELECT RAISE(ABORT, '{table} rows are immutable'); END"
        )


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [CreateTables([
        migrations.CreateModel(
            name='Scale',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=120, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='StudyGroup',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100, unique=True)),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='Turn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('account', models.CharField(max_length=64, unique=True)),
                ('next_at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='Worker',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('pseudonym', models.CharField(max_length=40, unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='MarketplaceEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('doc_id', models.CharField(max_length=64)),
                ('place', models.PositiveIntegerField(help_text='In its document, from 0.')),
                ('kind', models.CharField(max_length=30)),
                ('happened_at', models.DateTimeField()),
                ('market_hit', models.CharField(db_index=True, max_length=64)),
                ('assignment_id', models.CharField(blank=True, max_length=64)),
                ('received_at', models.DateTimeField()),
                ('words', models.TextField(blank=True, help_text='What a worker answered, until it is stored with the assignment.')),
                ('looked_at', models.DateTimeField(blank=True, help_text='When its HIT was looked at because of it.', null=True)),
            ],
            options={
                'db_table': 'annotation_heardevent',
                'indexes': [
                    models.Index(condition=models.Q(('looked_at', None)), fields=['market_hit'], name='annotation_event_waiting'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('doc_id', 'place'), name='event_heard_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='OncePass',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(max_length=300)),
                ('scope', models.CharField(max_length=100)),
                ('type_id', models.CharField(max_length=64)),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('endpoint', 'scope'), name='one_pass_per_scope_and_endpoint'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ScaleLabel',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('label', models.CharField(max_length=100)),
                ('gloss', models.TextField(blank=True)),
                ('code', models.CharField(max_length=40)),
                ('scale', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='labels', to='annotation.scale')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('scale', 'label'), name='label_unique_in_scale'),
                    models.UniqueConstraint(fields=('scale', 'code'), name='code_unique_in_scale'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Study',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('name', models.CharField(max_length=100, unique=True, validators=[django.core.validators.RegexValidator('\\A[\\w][\\w.-]*\\Z', 'Letters, digits, dots, dashes and underscores only.')])),
                ('mode', models.CharField(choices=[('rehearsal', 'rehearsal'), ('live', 'live'), ('imported', 'imported')], max_length=10)),
                ('status', models.CharField(choices=[('draft', 'draft'), ('published', 'published'), ('paused', 'paused'), ('ending', 'ending'), ('closed', 'closed')], default='draft', max_length=10)),
                ('question', models.TextField(blank=True, help_text='What the study asks, in a sentence; printed in the report.')),
                ('noun', models.CharField(default='text', help_text="What a text is called on the worker's page.", max_length=40)),
                ('task', models.CharField(choices=[('typicality', 'typicality'), ('human_or_machine', 'human or machine'), ('likert', 'labelled scales'), ('error_labels', 'error labels'), ('pairwise', 'pairwise preference')], default='typicality', max_length=20)),
                ('seed', models.PositiveBigIntegerField(default=1)),
                ('raters_per_text', models.PositiveIntegerField(default=20, validators=[django.core.validators.MinValueValidator(1)])),
                ('texts_per_hit', models.PositiveIntegerField(default=25, validators=[django.core.validators.MinValueValidator(1)])),
                ('mix', models.CharField(choices=[('balanced', 'sources as even as can be in each HIT'), ('bernoulli', "the source of each text drawn at random"), ('fixed', 'a fixed number of references in each HIT')], default='balanced', max_length=10)),
                ('references_per_hit', models.PositiveIntegerField(blank=True, help_text='With a fixed mix.', null=True)),
                ('evaluators_per_cell', models.PositiveIntegerField(blank=True, help_text='People in each cell, one HIT each; empty: raters per text decides.', null=True, validators=[django.core.validators.MinValueValidator(1)])),
                ('gold_per_hit', models.PositiveIntegerField(default=0, help_text='Texts with a known answer in each HIT.')),
                ('repeats_per_hit', models.PositiveIntegerField(default=0, help_text='Texts shown a second time in each HIT.')),
                ('checks_per_hit', models.PositiveIntegerField(default=0, help_text='Attention checks in each HIT.')),
                ('margin_points', models.PositiveSmallIntegerField(blank=True, help_text='Percentage points around 50% right that count as chance; for tests of equivalence.', null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(49)])),
                ('in_nines', models.BooleanField(default=False, help_text='Publish HITs of nine places at most.')),
                ('once', models.BooleanField(default=False, help_text='One HIT for each person in the whole group of studies.')),
                ('currency', models.CharField(default='USD', help_text='ISO 4217 code, such as EUR.', max_length=3, validators=[django.core.validators.RegexValidator('\\A[A-Z]{3}\\Z', 'Three capital letters, such as EUR.')])),
                ('budget_cents', models.PositiveBigIntegerField(blank=True, help_text='What the study may not exceed.', null=True)),
                ('floor_cents', models.PositiveBigIntegerField(blank=True, help_text='Minimum pay per hour.', null=True)),
                ('reserved_cents', models.PositiveBigIntegerField(default=0, editable=False)),
                ('spent_cents', models.PositiveBigIntegerField(default=0, editable=False)),
                ('reward_cents', models.PositiveIntegerField(default=100)),
                ('assignment_seconds', models.PositiveIntegerField(default=3600, validators=[django.core.validators.MinValueValidator(30, 'A marketplace takes 30 seconds at least.'), django.core.validators.MaxValueValidator(31536000, 'A marketplace takes a year (31,536,000 seconds) at most.')])),
                ('lifetime_seconds', models.PositiveIntegerField(default=604800, validators=[django.core.validators.MinValueValidator(30, 'A marketplace takes 30 seconds at least.'), django.core.validators.MaxValueValidator(31536000, 'A marketplace takes a year (31,536,000 seconds) at most.')])),
                ('auto_approval_seconds', models.PositiveIntegerField(default=259200, validators=[django.core.validators.MaxValueValidator(2592000, 'A marketplace waits 30 days (2,592,000 seconds) at most.')])),
                ('minimum_approved_hits', models.PositiveIntegerField(blank=True, null=True)),
                ('minimum_percent_approved', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MaxValueValidator(100)])),
                ('country', models.CharField(blank=True, max_length=2, validators=[django.core.validators.RegexValidator('\\A[A-Z]{2}\\Z', 'Two capital letters, such as US.')])),
                ('channel_tag', models.CharField(blank=True, max_length=64)),
                ('stop_rule', models.CharField(choices=[('raters', 'when every text has its raters'), ('width', "when the interval of every text's mean is narrow enough")], default='raters', max_length=10)),
                ('stop_width', models.FloatField(blank=True, help_text="Widest 95% interval of a text's mean rating.", null=True)),
                ('most_raters', models.PositiveIntegerField(blank=True, help_text='Of a text, whatever its interval.', null=True)),
                ('auto_top_up', models.BooleanField(default=False, help_text='The loop replaces missing and excluded ratings itself.')),
                ('arm_assignment', models.CharField(blank=True, choices=[('chosen', 'raters choose tasks from a list'), ('waves', 'one arm is open after another'), ('drawn', 'drawn at random')], editable=False, max_length=6)),
                ('draw_seed', models.CharField(blank=True, editable=False, max_length=64)),
                ('warned_at', models.DateTimeField(blank=True, null=True)),
                ('retain_until', models.DateTimeField(blank=True, null=True)),
                ('archived_at', models.DateTimeField(blank=True, null=True)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('scale', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='annotation.scale')),
                ('group', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='studies', to='annotation.studygroup')),
            ],
            options={
                'verbose_name_plural': 'studies',
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('raters_per_text__gte', 1)), name='study_has_raters'),
                    models.CheckConstraint(condition=models.Q(('texts_per_hit__gte', 1)), name='study_has_texts_per_hit'),
                    models.CheckConstraint(condition=models.Q(('minimum_percent_approved', None), ('minimum_percent_approved__lte', 100), _connector='OR'), name='study_percent_at_most_100'),
                    models.CheckConstraint(condition=models.Q(models.Q(('mix', 'fixed'), _negated=True), ('references_per_hit__isnull', False), _connector='OR'), name='fixed_mix_says_how_many'),
                    models.CheckConstraint(condition=models.Q(('evaluators_per_cell', None), ('evaluators_per_cell__gte', 1), _connector='OR'), name='cell_has_evaluators'),
                    models.CheckConstraint(condition=models.Q(('budget_cents', None), ('budget_cents__gte', django.db.models.expressions.CombinedExpression(models.F('reserved_cents'), '+', models.F('spent_cents'))), _connector='OR'), name='study_stays_within_its_budget'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Arm',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('training', models.CharField(choices=[('none', 'none'), ('instructions', 'instructions'), ('examples', 'examples'), ('comparison', 'comparison')], default='none', max_length=20)),
                ('reward_cents', models.PositiveIntegerField(blank=True, help_text="Where it differs from the study's.", null=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='arms', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'training'), name='one_arm_per_training'),
                    models.CheckConstraint(condition=models.Q(('training__in', ['none', 'instructions', 'examples', 'comparison'])), name='training_is_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Codebook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('purpose', models.CharField(choices=[('comments', 'what the explanations say'), ('criteria', 'whether work meets the criteria')], max_length=10)),
                ('number', models.PositiveIntegerField()),
                ('categories', models.JSONField()),
                ('made_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codebooks', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'purpose', 'number'), name='codebook_number_unique_by_purpose'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Detector',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('version', models.CharField(max_length=700)),
                ('beyond', models.CharField(choices=[('above', 'above'), ('below', 'below')], max_length=10)),
                ('threshold', models.FloatField()),
                ('blind', models.BooleanField()),
                ('actor', models.CharField(max_length=100)),
                ('declared_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='detectors', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(models.Q(('name', ''), _negated=True), models.Q(('version', ''), _negated=True)), name='detector_is_named'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Generator',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=100)),
                ('decoding', models.CharField(blank=True, help_text='How its texts were decoded, e.g. sample t=0.7', max_length=200)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='generators', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'name'), name='generator_name_unique_in_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Intent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('create_hit', 'create HIT'), ('add_places', 'add places to a HIT'), ('prolong', 'prolong a HIT'), ('expire', 'expire a HIT'), ('delete_hit', 'delete HIT'), ('approve', 'approve assignment'), ('reject', 'reject assignment'), ('bonus', 'pay a bonus'), ('grant', 'grant a qualification'), ('revoke', 'revoke a qualification'), ('notify', 'write to a worker'), ('block', 'block a worker'), ('unblock', 'end a block')], max_length=20)),
                ('key', models.CharField(max_length=64, unique=True)),
                ('subject', models.PositiveBigIntegerField(help_text='Primary key of the HIT, submission or worker it is about.')),
                ('number', models.PositiveIntegerField(default=0, help_text='Which one of its kind for its subject, from 0.')),
                ('details', models.JSONField(blank=True, default=dict)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('taken', 'taken'), ('done', 'done'), ('failed', 'failed'), ('dropped', 'not wanted any more')], default='waiting', max_length=10)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('refusals', models.PositiveIntegerField(default=0, help_text='Answers that asked to come again.')),
                ('taken_at', models.DateTimeField(blank=True, null=True)),
                ('not_before', models.DateTimeField(blank=True, null=True)),
                ('first_called_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.TextField(blank=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='intents', to='annotation.study')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['study', 'state'], name='annotation__study_i_eba612_idx'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'kind', 'subject', 'number'), name='one_intent_per_kind_and_subject'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'taken', 'done', 'failed', 'dropped'])), name='intent_state_is_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'taken'), _negated=True), ('taken_at__isnull', False), _connector='OR'), name='taken_intent_says_when'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Cell',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('domain', models.CharField(blank=True, max_length=60)),
                ('arm', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='cells', to='annotation.arm')),
                ('generator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='cells', to='annotation.generator')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('arm', 'domain', 'generator'), name='one_cell_per_combination'),
                    models.UniqueConstraint(condition=models.Q(('generator', None)), fields=('arm', 'domain'), name='one_cell_of_all_generators'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('uuid', models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ('kind', models.CharField(choices=[('check_texts', 'check a file of texts'), ('add_texts', 'add texts'), ('import_batch', 'import a finished batch'), ('preflight', 'check before publishing'), ('report', 'compute a report'), ('exclusions', 'show what exclusions do'), ('comparison', 'compare studies'), ('detect', 'score explanations by a detector'), ('lay_out', 'create tasks'), ('crowd', 'let simulated people work')], max_length=20)),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('running', 'running'), ('done', 'done'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('settings', models.JSONField(default=dict)),
                ('step', models.CharField(blank=True, max_length=200)),
                ('done', models.PositiveBigIntegerField(default=0)),
                ('of', models.PositiveBigIntegerField(default=0)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('created_at', models.DateTimeField()),
                ('beat_at', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('outcome', models.JSONField(default=dict)),
                ('problem', models.TextField(blank=True, help_text='Why it failed, in words.')),
                ('asked_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='jobs', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='jobs', to='annotation.study')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['state', 'created_at'], name='annotation__state_eeed44_idx'),
                ],
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'running', 'done', 'failed'])), name='job_state_is_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'failed'), _negated=True), models.Q(('problem', ''), _negated=True), _connector='OR'), name='failed_job_says_why'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HousekeepingMark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('worker_ids', models.PositiveIntegerField(default=0)),
                ('swept_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(('id', 1)), name='one_housekeeping_mark')],
            },
        ),
        migrations.CreateModel(
            name='Membership',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(choices=[('owner', 'owner'), ('editor', 'editor'), ('reviewer', 'reviewer'), ('viewer', 'viewer')], max_length=10)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='memberships', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'user'), name='one_role_per_person_and_study'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['owner', 'editor', 'reviewer', 'viewer'])), name='role_is_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='MemberInvitation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('role', models.CharField(blank=True, choices=[('owner', 'owner'), ('editor', 'editor'), ('reviewer', 'reviewer'), ('viewer', 'viewer')], max_length=10)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('invited_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='member_invitations', to='annotation.study')),
                ('used_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('role', ''), ('study', None)), models.Q(('role__in', ['owner', 'editor', 'reviewer', 'viewer']), ('study__isnull', False)), _connector='OR'), name='member_invitation_has_a_role_on_a_study'), models.CheckConstraint(condition=models.Q(('used_at', None), ('revoked_at', None), _connector='OR'), name='member_invitation_is_used_or_revoked')],
            },
        ),
        migrations.CreateModel(
            name='ScoringJob',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('opening', models.JSONField(help_text='How the model is opened: the options of the command.')),
                ('replace', models.BooleanField(default=False, help_text='Whether log-probabilities made otherwise are overwritten.')),
                ('actor', models.CharField(max_length=100)),
                ('created_at', models.DateTimeField()),
                ('signature', models.CharField(blank=True, help_text='Of the scores, once a worker opened the model.', max_length=700)),
                ('generator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scoring_jobs', to='annotation.generator')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scoring_jobs', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='ScoringChunk',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('texts', models.JSONField(help_text='Primary keys of the texts.')),
                ('state', models.CharField(choices=[('waiting', 'waiting'), ('taken', 'taken'), ('done', 'done'), ('failed', 'failed')], default='waiting', max_length=10)),
                ('attempts', models.PositiveIntegerField(default=0)),
                ('taken_at', models.DateTimeField(blank=True, help_text='Renewed with each part that is kept.', null=True)),
                ('not_before', models.DateTimeField(blank=True, null=True)),
                ('finished_at', models.DateTimeField(blank=True, null=True)),
                ('scored', models.PositiveIntegerField(default=0)),
                ('reused', models.PositiveIntegerField(default=0)),
                ('kept', models.PositiveIntegerField(default=0)),
                ('outcome', models.TextField(blank=True)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='chunks', to='annotation.scoringjob')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['state', 'job'], name='annotation__state_b3038a_idx'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('job', 'number'), name='scoring_chunk_number_unique_in_job'),
                    models.CheckConstraint(condition=models.Q(('state__in', ['waiting', 'taken', 'done', 'failed'])), name='scoring_chunk_state_is_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('state', 'taken'), _negated=True), ('taken_at__isnull', False), _connector='OR'), name='taken_scoring_chunk_says_when'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ShareLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64, unique=True)),
                ('made_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField(blank=True, null=True)),
                ('revoked_at', models.DateTimeField(blank=True, null=True)),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='links', to='annotation.job')),
                ('made_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='share_links', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Statement',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(choices=[('ethics', 'ethics approval'), ('consent', 'how consent was asked'), ('language', 'language of the texts'), ('licence', 'licence of the texts'), ('reference', 'where the experiment is described'), ('contact', 'who answers questions'), ('input', 'kind of input of the systems'), ('system_task', 'task that the systems perform'), ('channel', 'how the raters were recruited'), ('payment', 'how the raters were paid'), ('people', 'what is known of the raters'), ('demographics', 'demographics of the raters, where they were asked'), ('registered', 'where the plan was registered'), ('plan', 'what was planned before the data'), ('power', 'planned power'), ('deviations', 'deviations from the plan'), ('criterion', 'what kind of criterion was judged'), ('impact', 'impact assessment')], max_length=20)),
                ('body', models.TextField(max_length=4000)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='statements', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='one_statement_of_a_key'),
                    models.CheckConstraint(condition=models.Q(('body', ''), _negated=True), name='statement_says_something'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Selection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('plan', models.JSONField()),
                ('funnel', models.JSONField()),
                ('tool', models.CharField(max_length=60)),
                ('pool_digest', models.CharField(max_length=64)),
                ('outcome_digest', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='selections', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='selection_number_unique_in_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Scoring',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('signature', models.CharField(help_text='Scores of equal signature may be exchanged.', max_length=700)),
                ('model', models.CharField(max_length=200)),
                ('revision', models.CharField(max_length=100)),
                ('tokenizer', models.CharField(max_length=200)),
                ('dtype', models.CharField(max_length=20)),
                ('decoding', models.CharField(max_length=200)),
                ('include_eos', models.BooleanField()),
                ('created_at', models.DateTimeField()),
                ('generator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scorings', to='annotation.generator')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='scorings', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('generator', 'signature'), name='one_scoring_per_signature'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ScoreFile',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('nnd', 'near-negative tests'), ('automatic', 'automatic scores by a model'), ('scores', 'a table of scores')], max_length=10)),
                ('name', models.CharField(max_length=200)),
                ('sha256', models.CharField(max_length=64)),
                ('document', models.TextField()),
                ('model', models.CharField(blank=True, help_text='What made the numbers.', max_length=200)),
                ('version', models.CharField(blank=True, max_length=200)),
                ('actor', models.CharField(blank=True, max_length=150)),
                ('attached_at', models.DateTimeField(blank=True, help_text='Empty where the report read back did not say.', null=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='score_files', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'sha256'), name='score_file_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='RuleSet',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('name', models.CharField(max_length=100)),
                ('rules', models.JSONField()),
                ('blind', models.BooleanField()),
                ('fixed_at', models.DateTimeField()),
                ('applied_at', models.DateTimeField(blank=True, null=True)),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rule_sets', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='rule_set_number_unique_in_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Result',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField()),
                ('data_sha256', models.CharField(max_length=64)),
                ('numbers', models.JSONField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='results', to='annotation.study')),
            ],
        ),
        migrations.CreateModel(
            name='LedgerEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('reward', 'reward'), ('fee', 'fee'), ('bonus', 'bonus'), ('hold', 'set aside'), ('release', 'no longer set aside')], max_length=10)),
                ('cents', models.BigIntegerField(help_text='Below zero for a release.')),
                ('at', models.DateTimeField()),
                ('intent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='annotation.intent')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='ledger', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'ledger entries',
                'constraints': [
                    models.UniqueConstraint(fields=('intent', 'kind'), name='each_effect_paid_once'),
                    models.CheckConstraint(condition=models.Q(('kind__in', ['reward', 'fee', 'bonus', 'hold', 'release'])), name='money_kind_is_known'),
                    models.CheckConstraint(condition=models.Q(models.Q(('cents__lte', 0), ('kind', 'release')), models.Q(models.Q(('kind', 'release'), _negated=True), ('cents__gte', 0)), _connector='OR'), name='only_releases_are_negative'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Context',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=200)),
                ('body', models.TextField(blank=True)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='contexts', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='context_key_unique_in_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AuditEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('actor', models.CharField(max_length=150)),
                ('verb', models.CharField(max_length=40)),
                ('facts', models.JSONField(default=dict)),
                ('at', models.DateTimeField()),
                ('previous', models.CharField(max_length=64)),
                ('digest', models.CharField(max_length=64)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='audit', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='audit_number_unique_in_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='StudyWording',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.PositiveIntegerField()),
                ('digest', models.CharField(max_length=64)),
                ('body', models.JSONField()),
                ('created_at', models.DateTimeField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='wordings', to='annotation.study')),
            ],
            options={
                'ordering': ['version'],
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'version'), name='wording_version_unique_in_study'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Hit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('slot', models.PositiveIntegerField()),
                ('page', models.PositiveIntegerField(blank=True, null=True)),
                ('max_assignments', models.PositiveIntegerField()),
                ('fees', models.CharField(blank=True, default='', max_length=10)),
                ('market_id', models.CharField(blank=True, max_length=64, null=True)),
                ('market_status', models.CharField(blank=True, max_length=20)),
                ('inside', models.PositiveIntegerField(default=0, help_text='People at work in it when it was last seen.')),
                ('free', models.PositiveIntegerField(default=0, help_text='Places on offer when it was last seen.')),
                ('expires_at', models.DateTimeField(blank=True, null=True)),
                ('seen_at', models.DateTimeField(blank=True, null=True)),
                ('collected', models.PositiveIntegerField(default=0, help_text='Submissions stored.')),
                ('judged', models.PositiveIntegerField(default=0, help_text='Judgments read from them.')),
                ('cell', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='annotation.cell')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='hits', to='annotation.study')),
                ('wording', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='hits', to='annotation.studywording')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'slot'), name='slot_unique_in_study'),
                    models.UniqueConstraint(fields=('study', 'market_id'), name='market_id_unique_in_study'),
                    models.CheckConstraint(condition=models.Q(('max_assignments__gte', 1)), name='hit_has_assignments'),
                ],
            },
        ),
        migrations.CreateModel(
            name='AttentionCheck',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('expected', models.CharField(max_length=100)),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='checks', to='annotation.hit')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('hit', 'position'), name='check_position_unique_in_hit'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('market_id', models.CharField(max_length=64)),
                ('raw', models.TextField()),
                ('raw_format', models.CharField(max_length=20)),
                ('accepted_at', models.DateTimeField(blank=True, null=True)),
                ('submitted_at', models.DateTimeField(blank=True, null=True)),
                ('work_seconds', models.PositiveIntegerField(blank=True, null=True)),
                ('received_at', models.DateTimeField()),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.hit')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='submissions', to='annotation.worker')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('hit', 'market_id'), name='submission_once'),
                    models.UniqueConstraint(fields=('hit', 'worker'), name='worker_once_per_hit'),
                    models.CheckConstraint(condition=models.Q(('accepted_at', None), ('submitted_at', None), ('submitted_at__gte', models.F('accepted_at')), _connector='OR'), name='submitted_after_accepted'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Reply',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('body', models.TextField()),
                ('at', models.DateTimeField()),
                ('heeded_at', models.DateTimeField(blank=True, null=True)),
                ('heeded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('recorded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='replies', to='annotation.submission')),
            ],
            options={
                'verbose_name_plural': 'replies',
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('recorded_by', None)), fields=('submission',), name='one_reply_by_the_marketplace'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Rejection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=1024)),
                ('proposed_at', models.DateTimeField()),
                ('seconded_at', models.DateTimeField(blank=True, null=True)),
                ('proposed_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('seconded_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='rejection', to='annotation.submission')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('seconded_by', None), models.Q(('seconded_by', models.F('proposed_by')), _negated=True), _connector='OR'), name='rejected_by_two_people'),
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='rejection_has_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='PracticeAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField(help_text='Of the round, from 0.')),
                ('chosen', models.CharField(max_length=100)),
                ('right', models.BooleanField()),
                ('sides_changed', models.BooleanField(default=False)),
                ('active_ms', models.PositiveIntegerField(blank=True, null=True)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='practice_answers', to='annotation.submission')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'number'), name='one_answer_per_practice_round'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Parse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('parsed_at', models.DateTimeField()),
                ('problem', models.TextField(blank=True)),
                ('active_ms', models.PositiveIntegerField(blank=True, help_text='Sum over what was shown, by the page; empty unless every text was timed.', null=True)),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='parse', to='annotation.submission')),
            ],
        ),
        migrations.CreateModel(
            name='Flag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=40)),
                ('sentence', models.TextField()),
                ('value', models.FloatField(blank=True, null=True)),
                ('threshold', models.FloatField(blank=True, null=True)),
                ('raised_at', models.DateTimeField()),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='flags', to='annotation.submission')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'kind'), name='one_flag_of_a_kind'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Evidence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('suspicion', models.FloatField(help_text='In [0, 1]: the order in which a reviewer looks.')),
                ('findings', models.JSONField(default=dict)),
                ('measured_at', models.DateTimeField()),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='evidence', to='annotation.submission')),
            ],
            options={
                'verbose_name_plural': 'evidence',
            },
        ),
        migrations.CreateModel(
            name='Device',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=32)),
                ('noted_at', models.DateTimeField(db_index=True)),
                ('submission', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='device', to='annotation.submission')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('code', ''), _negated=True), name='device_has_a_code'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Decision',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('matter', models.CharField(choices=[('payment', 'payment'), ('analysis', 'analysis')], max_length=10)),
                ('verdict', models.CharField(choices=[('approve', 'approve'), ('reject', 'reject'), ('include', 'include'), ('exclude', 'exclude')], max_length=10)),
                ('reason', models.CharField(blank=True, max_length=1024)),
                ('at', models.DateTimeField()),
                ('actor', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to=settings.AUTH_USER_MODEL)),
                ('rule_set', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='annotation.ruleset')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='decisions', to='annotation.submission')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'matter'), name='one_decision_per_matter'),
                    models.CheckConstraint(condition=models.Q(models.Q(('matter', 'payment'), ('verdict__in', ['approve', 'reject'])), models.Q(('matter', 'analysis'), ('verdict__in', ['include', 'exclude'])), _connector='OR'), name='verdict_fits_its_matter'),
                    models.CheckConstraint(condition=models.Q(('verdict__in', ['approve', 'include']), models.Q(('reason', ''), _negated=True), _connector='OR'), name='refusals_give_a_reason'),
                    models.CheckConstraint(condition=models.Q(('rule_set', None), ('matter', 'analysis'), _connector='OR'), name='rules_decide_on_the_analysis_only'),
                ],
            },
        ),
        migrations.CreateModel(
            name='CheckAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('chosen', models.CharField(blank=True, max_length=100)),
                ('passed', models.BooleanField()),
                ('check_asked', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='answers', to='annotation.attentioncheck')),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='check_answers', to='annotation.submission')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'check_asked'), name='one_answer_per_check'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Text',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(help_text='The id the researcher gave it.', max_length=200)),
                ('source', models.CharField(choices=[('reference', 'reference'), ('model', 'model')], max_length=10)),
                ('domain', models.CharField(blank=True, max_length=60)),
                ('body', models.TextField()),
                ('generation', models.JSONField(blank=True, default=dict, help_text='Every setting that made it, where Assay sampled or retrieved it.')),
                ('known_label', models.CharField(blank=True, help_text='Of a gold text: the right answer. Gold texts are not evaluated.', max_length=100)),
                ('corpus_count', models.PositiveBigIntegerField(blank=True, null=True)),
                ('corpus_name', models.CharField(blank=True, max_length=200)),
                ('corpus_size', models.PositiveBigIntegerField(blank=True, null=True)),
                ('original', models.TextField(blank=True, help_text='The whole text, where the body is cut.')),
                ('cut_at', models.PositiveIntegerField(blank=True, null=True)),
                ('left_out', models.CharField(blank=True, help_text='Why it is not judged; empty where it is.', max_length=300)),
                ('split', models.CharField(blank=True, help_text='The draw it belongs to.', max_length=60)),
                ('context', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='texts', to='annotation.context')),
                ('generator', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='texts', to='annotation.generator')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='texts', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'key'), name='text_key_unique_in_study'),
                    models.CheckConstraint(condition=models.Q(models.Q(('generator', None), ('source', 'reference')), models.Q(('generator__isnull', False), ('source', 'model')), _connector='OR'), name='model_texts_name_their_generator'),
                    models.CheckConstraint(condition=models.Q(('body', ''), _negated=True), name='text_is_not_empty'),
                    models.CheckConstraint(condition=models.Q(('corpus_count', None), ('corpus_size', None), ('corpus_count__lte', models.F('corpus_size')), _connector='OR'), name='corpus_count_within_corpus'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Presentation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('role', models.CharField(choices=[('item', 'to be judged'), ('gold', 'with a known answer'), ('repeat', 'shown a second time')], default='item', max_length=10)),
                ('shown_at', models.PositiveIntegerField(blank=True, help_text='Place in the order this worker met.', null=True)),
                ('sides_changed', models.BooleanField(default=False, help_text='Of a pair: the second text was shown first.')),
                ('active_ms', models.PositiveIntegerField(blank=True, help_text='Active time on this text, by the page.', null=True)),
                ('away', models.PositiveIntegerField(blank=True, help_text='How often the worker left the page here.', null=True)),
                ('pastes', models.PositiveIntegerField(blank=True, null=True)),
                ('keystrokes', models.PositiveIntegerField(blank=True, null=True)),
                ('submission', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='presentations', to='annotation.submission')),
                ('partner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.text')),
                ('text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='presentations', to='annotation.text')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('submission', 'position'), name='position_unique_in_submission'),
                    models.UniqueConstraint(fields=('submission', 'text', 'role'), name='text_once_in_submission_by_role'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Remark',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('question', models.CharField(max_length=40)),
                ('body', models.TextField()),
                ('presentation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='remarks', to='annotation.presentation')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('presentation', 'question'), name='one_remark_per_question'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Detection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('score', models.FloatField(null=True)),
                ('detector', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='detections', to='annotation.detector')),
                ('remark', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='detections', to='annotation.remark')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('detector', 'remark'), name='one_score_of_a_detector'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Coding',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('codes', models.JSONField()),
                ('adjudicated', models.BooleanField(default=False)),
                ('at', models.DateTimeField()),
                ('codebook', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='codings', to='annotation.codebook')),
                ('coder', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('remark', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='codings', to='annotation.remark')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(condition=models.Q(('adjudicated', False)), fields=('remark', 'codebook', 'coder'), name='one_coding_per_coder'),
                    models.UniqueConstraint(condition=models.Q(('adjudicated', True)), fields=('remark', 'codebook'), name='one_adjudication_per_remark'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Likelihood',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('log_prob', models.FloatField()),
                ('log_prob_text', models.CharField(blank=True, help_text='The decimal as it was written.', max_length=60)),
                ('length', models.PositiveIntegerField()),
                ('length_unit', models.CharField(choices=[('whitespace', 'whitespace tokens'), ('model_token', 'model tokens'), ('char', 'characters')], max_length=12)),
                ('decoding', models.CharField(blank=True, max_length=200)),
                ('content_hash', models.CharField(blank=True, db_index=True, help_text='Of signature, context and text: equal content, equal score.', max_length=64)),
                ('generator', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='likelihoods', to='annotation.generator')),
                ('scoring', models.ForeignKey(blank=True, help_text='What made it; empty for one that came with a file.', null=True, on_delete=django.db.models.deletion.RESTRICT, related_name='likelihoods', to='annotation.scoring')),
                ('text', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='likelihoods', to='annotation.text')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('text', 'generator'), name='one_likelihood_per_text_and_generator'),
                    models.CheckConstraint(condition=models.Q(('log_prob__lte', 1e-06)), name='log_prob_is_at_most_zero'),
                    models.CheckConstraint(condition=models.Q(('length__gte', 1)), name='length_is_at_least_one'),
                    models.CheckConstraint(condition=models.Q(('length_unit__in', ['whitespace', 'model_token', 'char'])), name='length_unit_is_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Judgment',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('criterion', models.CharField(default='typicality', max_length=40)),
                ('presentation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judgments', to='annotation.presentation')),
                ('label', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='judgments', to='annotation.scalelabel')),
                ('text', models.ForeignKey(blank=True, db_index=False, help_text='Empty for gold and repeats, which do not count.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='annotation.text')),
            ],
            options={
                'indexes': [
                    models.Index(fields=['text', 'criterion', 'label'], name='annotation_judgment_of_text'),
                ],
                'constraints': [
                    models.UniqueConstraint(fields=('presentation', 'criterion', 'label'), name='label_once_per_criterion'),
                ],
            },
        ),
        migrations.CreateModel(
            name='HitItem',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveIntegerField()),
                ('role', models.CharField(choices=[('item', 'to be judged'), ('gold', 'with a known answer'), ('repeat', 'shown a second time')], default='item', max_length=10)),
                ('hit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='items', to='annotation.hit')),
                ('partner', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='partner_places', to='annotation.text')),
                ('text', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='places', to='annotation.text')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('hit', 'position'), name='position_unique_in_hit'),
                    models.UniqueConstraint(fields=('hit', 'text', 'role'), name='text_once_in_hit_by_role'),
                    models.CheckConstraint(condition=models.Q(('role__in', ['item', 'gold', 'repeat'])), name='item_role_is_known'),
                ],
            },
        ),
        migrations.CreateModel(
            name='ImportedReport',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('document', models.TextField()),
                ('made_at', models.DateTimeField()),
                ('study', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='told', to='annotation.study')),
            ],
            options={
                'db_table': 'annotation_told',
            },
        ),
        migrations.CreateModel(
            name='WayIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(max_length=20)),
                ('pays', models.CharField(max_length=9)),
                ('pay_words', models.CharField(blank=True, max_length=300)),
                ('consent', models.BooleanField()),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='ways_in', to='annotation.study')),
            ],
            options={
                'verbose_name_plural': 'ways in',
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'kind', 'pays', 'pay_words', 'consent'), name='way_in_once'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Participation',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('since', models.DateTimeField()),
                ('arm', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='annotation.arm')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='participations', to='annotation.study')),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='participations', to='annotation.worker')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'worker'), name='one_arm_per_person'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Look',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=200)),
                ('at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='looks', to='annotation.worker')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='look_has_a_reason'),
                ],
            },
        ),
        migrations.CreateModel(
            name='Hold',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('reason', models.CharField(max_length=500)),
                ('until', models.DateField()),
                ('since', models.DateTimeField()),
                ('lifted_at', models.DateTimeField(blank=True, null=True)),
                ('actor', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('lifted_by', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('worker', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='holds', to='annotation.worker')),
            ],
            options={
                'constraints': [
                    models.CheckConstraint(condition=models.Q(('reason', ''), _negated=True), name='hold_has_a_reason'),
                    models.UniqueConstraint(condition=models.Q(('lifted_at', None)), fields=('worker',), name='one_open_hold_per_worker'),
                ],
            },
        ),
        migrations.CreateModel(
            name='WorkerIdentity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider', models.CharField(max_length=60)),
                ('external_id', models.CharField(max_length=100)),
                ('look_up', models.CharField(max_length=64, unique=True)),
                ('worker', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='identity', to='annotation.worker')),
            ],
            options={
                'verbose_name_plural': 'worker identities',
                'permissions': [('see_worker_ids', 'Can see worker ids')],
                'constraints': [
                    models.UniqueConstraint(fields=('provider', 'external_id'), name='one_worker_per_external_id'),
                ],
            },
        ),
        migrations.AddField(
            model_name='hit',
            name='texts',
            field=models.ManyToManyField(related_name='hits', through='annotation.HitItem', through_fields=('hit', 'text'), to='annotation.text'),
        ),
        migrations.AddField(
            model_name='study',
            name='members',
            field=models.ManyToManyField(related_name='studies', through='annotation.Membership', to=settings.AUTH_USER_MODEL),
        ),
        migrations.CreateModel(
            name='DrawRecord',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveBigIntegerField()),
                ('kind', models.CharField(choices=[('drawn', 'Drawn'), ('left', 'Left'), ('came back', 'Rejoined')], max_length=9)),
                ('person', models.CharField(max_length=16)),
                ('at', models.DateTimeField()),
                ('cell', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='draws', to='annotation.cell')),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='draws', to='annotation.study')),
            ],
            options={
                'constraints': [
                    models.UniqueConstraint(fields=('study', 'number'), name='draw_record_once'),
                ],
            },
        ),
    ]), migrations.RunPython(protect, migrations.RunPython.noop)]
