"""Promises that hold for every table, view, function, policy and grant there is, and for every one to come."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.databases import Database
from tests.tenant import Tenant

Rows = list[tuple[Any, ...]]

# Tables of no tenant: the law, people who work in several workspaces, keys, and what a deploy keeps.
COMMON = {
    *("leadline.rule_activity_types", "leadline.rule_effects", "leadline.rule_payload_keys"),
    *("leadline.rule_permitted", "leadline.rule_sentences", "leadline.rule_stages"),
    *("leadline.rule_transitions", "leadline.rule_workflows", "leadline_internal.rulings"),
    *("leadline.rule_aliases", "leadline.rule_proposals", "leadline.rule_blocks"),
    *("leadline.rule_reasons", "leadline.rule_personal_fields", "leadline_internal.suppression_key"),
    *("leadline.users", "leadline_internal.context_key", "leadline_internal.clusters"),
    "leadline_internal.deployment",
    "leadline.rule_webhook_presets",
    *("leadline_internal.loaded_objects", "leadline_internal._yoyo_log", "leadline_internal._yoyo_migration"),
    *("leadline_internal._yoyo_version", "leadline_internal.yoyo_lock"),
}
# Functions that run as leadline_owner, above row security: few, each naming the workspace in every statement.
DEFINERS = {
    *("leadline.current_workspace", "leadline.enter", "leadline.is_suppressed"),
    *("leadline.sees_all_leads", "leadline.sees_unassigned_leads", "leadline.current_user_id"),
    *("leadline.manages_team", "leadline.sees_lead", "leadline.sees_activity", "leadline.create_workspace"),
    *("leadline.close_workspace", "leadline.add_member", "leadline.deactivate_member", "leadline.add_login"),
    *("leadline.revoke_login", "leadline.create_token", "leadline.revoke_token", "leadline.note_tokens_used"),
    *("leadline.rotate_signing_key", "leadline_internal.email_of", "leadline.sees_entry"),
    *("leadline.add_webhook_source", "leadline.replace_webhook_mapping", "leadline.replace_webhook_secret"),
    *("leadline.remove_webhook_source", "leadline.reopen_webhook", "leadline.receive_webhook"),
    *("leadline.answer_webhook_handshake", "leadline.map_webhook", "leadline.process_webhook"),
    *("leadline.list_workspaces", "leadline.run_job", "leadline.sees_contacts"),
    "leadline.update_lead_status_based_on_activity",
    "leadline_internal.carry_out_consequences_for_lead",
    *("leadline_internal.cluster_identifier", "leadline_internal.log_bare_lead"),
    *("leadline_internal.log_direct_change", "leadline_internal.logged_before_in"),
    *("leadline.advance_relationship_based_on_activity", "leadline_internal.propose_from_outcome"),
    *("leadline_internal.carry_out_product_signal", "leadline_internal.move_opportunity_based_on_activity"),
    *(
        "leadline_internal.update_subscription_based_on_activity",
        "leadline.sees_opportunity",
        "leadline.sees_subscription",
    ),
    *("leadline_internal.logged_before", "leadline_internal.prepare_bare_lead"),
    *("leadline_internal.restored_up_to", "leadline_internal.update_workspace_based_on_activity"),
    *(
        "leadline.sees_person",
        "leadline.sees_key",
        "leadline.merge_people",
        "leadline.unmerge_people",
        "leadline.set_account",
    ),
    *("leadline.erase_person", "leadline.export_person", "leadline_internal.carry_out_merge"),
    *("leadline.import_leads", "leadline.claim_idempotency_key", "leadline.keep_answer"),
}
OURS = "('leadline'::regnamespace, 'leadline_internal'::regnamespace)"


@pytest.fixture
def ask(owner: psycopg.Connection[Any]) -> Any:
    def rows(statement: str) -> Rows:
        return owner.execute(statement).fetchall()

    return rows


def test_a_table_belongs_to_a_workspace_or_is_known_to_belong_to_none(ask: Any) -> None:
    rows = ask(
        f"""select c.oid::regclass::text from pg_class c where c.relkind in ('r', 'p') and c.relnamespace in {OURS}
            and not exists (select from pg_attribute a
                where a.attrelid = c.oid and a.attname = 'workspace_id' and a.attnotnull)"""
    )
    assert {row[0] for row in rows} == COMMON


def test_workspace_id_stands_first_in_every_key_and_index_of_a_tenant_table(ask: Any) -> None:
    """Except where a credential is looked up before its workspace is known."""
    rows = ask(
        f"""select i.indexrelid::regclass::text from pg_index i join pg_class c on c.oid = i.indrelid
            join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
            where c.relkind = 'r' and c.relnamespace in {OURS} and i.indkey[0] <> a.attnum"""
    )
    found = {row[0] for row in rows}
    known = {"memberships_by_user", "api_tokens_prefix_is_known_once", "workspace_logins_login_is_bound_once"}
    known.add("webhook_sources_key_is_known_once")
    assert found == {f"leadline.{name}" for name in known}


def test_foreign_keys_between_tenant_tables_carry_the_workspace(ask: Any) -> None:
    """The check of a foreign key ignores row security: only a composite key keeps tenants apart."""
    assert (
        ask(
            f"""select k.conname from pg_constraint k
                join pg_attribute a on a.attrelid = k.conrelid and a.attname = 'workspace_id'
                join pg_attribute b on b.attrelid = k.confrelid and b.attname = 'workspace_id'
                where k.contype = 'f' and k.connamespace in {OURS} and not (a.attnum = any (k.conkey))"""
        )
        == []
    )


def test_no_foreign_key_cascades(ask: Any) -> None:
    assert (
        ask(
            f"""select conname from pg_constraint where contype = 'f' and connamespace in {OURS}
            and (confdeltype not in ('a', 'r') or confupdtype not in ('a', 'r'))"""
        )
        == []
    )


def test_every_foreign_key_has_an_index_but_those_into_the_law(ask: Any) -> None:
    """Rules change at a deploy only; an index for that would be paid by every activity."""
    rows = ask(
        f"""select k.conname from pg_constraint k join pg_class t on t.oid = k.confrelid
            where k.contype = 'f' and k.connamespace in {OURS} and t.relname !~ '^rule_'
              and not exists (select from pg_index i where i.indrelid = k.conrelid
                and (i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey)"""
    )
    assert rows == []


def test_row_security_is_enabled_and_not_forced_with_the_one_policy(ask: Any) -> None:
    rows = ask(
        f"""select c.oid::regclass::text, c.relrowsecurity, c.relforcerowsecurity,
                (select array_agg(p.polname || ' ' || p.polcmd::text || ' ' || p.polpermissive || ' ' || p.polroles::text)
                 from pg_policy p where p.polrelid = c.oid),
                (select array_agg(distinct pg_get_expr(p.polqual, c.oid)) from pg_policy p where p.polrelid = c.oid),
                (select array_agg(distinct pg_get_expr(p.polwithcheck, c.oid)) from pg_policy p where p.polrelid = c.oid)
            from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
            where c.relkind in ('r', 'p') and c.relnamespace in {OURS}"""
    )
    workspace = "(workspace_id = ( SELECT leadline.current_workspace() AS current_workspace))"
    assert len(rows) > 10
    for table, enabled, forced, policies, using, check in rows:
        name = table.split(".")[1]
        assert (enabled, forced, policies) == (True, False, [f"{name}_in_workspace * true {{0}}"]), table
        assert check == [workspace], table
        assert using[0].startswith(
            "(COALESCE((workspace_id = ANY (ARRAY[( SELECT leadline.current_workspace()"
        ), table
        assert workspace in using[0], table
        assert using[0].endswith(f" AND {workspace})") == (name not in NARROWER), table


def test_policies_of_a_sharded_database_contain_no_sub_select(ask: Any) -> None:
    rows = ask(
        f"""select c.oid::regclass::text, leadline_internal.policy_condition(c.oid::regclass, true)
            from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
            where c.relkind = 'r' and c.relnamespace in {OURS}"""
    )
    assert len(rows) > 10
    for table, condition in rows:
        assert condition.startswith("workspace_id = leadline.current_workspace()"), table
        assert "select" not in condition.lower(), table


def test_without_a_context_every_table_is_empty_and_closed(database: Database) -> None:
    """No rows, and no error that tells anything."""
    tenant = Tenant(database.dsn())
    tenant.leads(1)
    with psycopg.connect(database.dsn()) as connection:
        connection.execute(
            "create role nobody_known login in role leadline_writer, leadline_reader, leadline_contacts"
        )
    try:
        with database.connect("nobody_known", autocommit=True) as connection:
            readable = connection.execute(
                f"""select c.oid::regclass::text from pg_class c
                    join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id'
                    where c.relkind in ('r', 'v') and c.relnamespace in {OURS}
                      and has_column_privilege(c.oid, a.attnum, 'select')"""
            ).fetchall()
            assert len(readable) > 10
            for (table,) in readable:
                assert connection.execute(f"select workspace_id from {table}").fetchall() == [], table
            with pytest.raises(psycopg.Error) as refused:
                connection.execute("insert into leadline.leads (source) values ('x')")
            assert (refused.value.sqlstate, refused.value.diag.constraint_name) == (
                "PT401",
                "credential_required",
            )
    finally:
        with psycopg.connect(database.dsn()) as connection:
            connection.execute("drop role nobody_known")


def test_every_view_reads_as_its_reader(ask: Any) -> None:
    assert (
        ask(
            f"""select c.oid::regclass::text from pg_class c where c.relkind = 'v' and c.relnamespace in {OURS}
            and not coalesce(c.reloptions @> '{{security_invoker=true}}', false)"""
        )
        == []
    )
    assert (
        ask(f"select oid::regclass::text from pg_class where relkind = 'm' and relnamespace in {OURS}") == []
    )


def test_definer_functions_are_listed_and_fix_their_search_path(ask: Any) -> None:
    rows = ask(
        f"""select p.pronamespace::regnamespace || '.' || p.proname,
                p.proconfig @> '{{"search_path=pg_catalog, pg_temp"}}'
            from pg_proc p where p.prosecdef and p.pronamespace in {OURS}"""
    )
    assert {row[0] for row in rows} == DEFINERS
    assert [row[0] for row in rows if not row[1]] == []


def test_no_function_is_open_to_everybody(ask: Any) -> None:
    assert (
        ask(
            f"""select p.oid::regprocedure::text from pg_proc p where p.pronamespace in {OURS}
            and has_function_privilege('public', p.oid, 'execute') and p.prorettype <> 'trigger'::regtype"""
        )
        == []
    )


def test_nobody_changes_removes_or_signs_for_another_workspace(ask: Any) -> None:
    """INSERT on listed columns and SELECT are all that any role has."""
    rows = ask(
        f"""select grantee, table_name, privilege_type from information_schema.role_table_grants
            where table_schema in ('leadline', 'leadline_internal') and grantee ilike any (array{[*RUNTIME_NAMES]})
              and privilege_type <> 'SELECT'"""
    )
    assert rows == []
    rows = ask(
        f"""select distinct table_name, column_name from information_schema.column_privileges
            where table_schema in ('leadline', 'leadline_internal') and grantee ilike any (array{[*RUNTIME_NAMES]})
              and privilege_type = 'INSERT'"""
    )
    inserted = {f"{table}.{column}" for table, column in rows}
    forbidden = {
        "workspace_id",
        "activity_id",
        "actor_kind",
        "actor_id",
        "writer",
        "verdict",
        "rule",
        "caused_by",
    }
    forbidden |= {
        "stage",
        "status",
        "seq",
        "version",
        "hash",
        "changes",
        "recorded_at",
        "from_stage",
        "to_stage",
    }
    assert {name for name in inserted if name.split(".")[1] in forbidden} == set()
    assert {name.split(".")[0] for name in inserted} == {"leads", *JOURNALS}
    assert {row for row in rows if row[0] == "workspaces"} == set()


# Tables of which a caller may see less than the workspace: a member's leads, an analyst's contacts, the team's keys.
NARROWER = {
    *("leads", "lead_activity", "activity_content", "suppressions", "checkpoints", "api_tokens"),
    *("relationship_activity", "opportunity_activity", "customer_activity", "approvals", "opportunities"),
    *("subscriptions", "renewal_cycles"),
    *("workspace_logins", "requests", "people", "person_keys", "outbox", "webhook_sources", "webhook_logs"),
}

JOURNALS = [
    *("lead_activity", "relationship_activity", "opportunity_activity", "customer_activity"),
    "workspace_activity",
]

RUNTIME_NAMES = [
    "leadline_writer",
    "leadline_reader",
    "leadline_contacts",
    "leadline_service",
    "leadline_worker",
    "public",
]


def test_an_analyst_has_no_privilege_on_contact_columns(ask: Any) -> None:
    hidden = {
        "leads": {
            *("name", "company", "email", "email_key", "email_stem", "phone", "phone_key", "lost_notes"),
            *("problem", "timing", "buying_role"),
        },
        "opportunities": {"problem", "decision_process", "next_step", "lost_notes"},
        "renewal_cycles": {"churn_reason"},
        "requests": {"external_id"},
    }
    for table, columns in hidden.items():
        rows = ask(
            f"""select a.attname from pg_attribute a where a.attrelid = 'leadline.{table}'::regclass and a.attnum > 0
               and not has_column_privilege('leadline_reader', a.attrelid, a.attnum, 'select')"""
        )
        assert {row[0] for row in rows} == columns, table
    for view in ("lead_contacts", "person_contacts", "opportunity_contacts"):
        assert ask(f"select has_table_privilege('leadline_reader', 'leadline.{view}', 'select')") == [
            (False,)
        ], view


def test_triggers_fire_in_a_known_order(ask: Any) -> None:
    """By name: the refusals, the decision, the consequences, what is remembered."""
    rows = ask(
        """select c.relname, array_agg(t.tgname || case t.tgenabled when 'A' then ' always' else '' end order by t.tgname)
           from pg_trigger t join pg_class c on c.oid = t.tgrelid
           where not t.tgisinternal and c.relnamespace = 'leadline'::regnamespace group by 1"""
    )
    refusals = ["t10_refuse_change always", "t10_refuse_statement always"]
    assert dict(rows) == {
        "lead_activity": [
            *refusals,
            "t50_update_lead_status_based_on_activity",
            "t70_carry_out_consequences",
            "t70_carry_out_merge",
            "t70_propose_from_outcome",
        ],
        "relationship_activity": [
            *refusals,
            "t50_advance_relationship_based_on_activity",
            "t70_carry_out_product_signal",
        ],
        "opportunity_activity": [
            *refusals,
            "t50_move_opportunity_based_on_activity",
            "t70_propose_from_outcome",
        ],
        "customer_activity": [*refusals, "t50_update_subscription_based_on_activity"],
        "workspace_activity": [*refusals, "t50_update_workspace_based_on_activity"],
        **dict.fromkeys(("approvals", "renewal_cycles"), refusals),
        **{
            table: [*refusals, "t80_log_direct_change"]
            for table in ("people", "opportunities", "subscriptions")
        },
        "checkpoints": refusals,
        "leads": [
            *refusals,
            "t40_derive_changed_contact_keys",
            "t40_derive_contact_keys",
            "t50_prepare_bare_lead",
            "t80_log_bare_lead",
            "t80_log_direct_change",
        ],
        "workspaces": [*refusals, "t80_log_direct_change"],
    }


def test_no_function_takes_a_lock_that_a_foreign_key_waits_for(ask: Any) -> None:
    assert (
        ask(
            f"""select p.oid::regprocedure::text from pg_proc p where p.pronamespace in {OURS}
            and regexp_replace(p.prosrc, 'for no key update', '', 'gi') ~* 'for update'"""
        )
        == []
    )


def test_journals_are_positional_twins_of_the_entry(ask: Any) -> None:
    """One decision serves all journals: their columns are those of `entry`, the subject under its own name."""
    columns = """select array_agg(case a.attnum when 3 then 'subject_id' else a.attname end || ' ' ||
                    format_type(a.atttypid, a.atttypmod) order by a.attnum)
                 from pg_attribute a where a.attrelid = '{}'::regclass and a.attnum > 0 and not a.attisdropped"""
    entry = ask(columns.format("leadline_internal.entry"))
    assert {row[0] for row in ask("select journal from leadline_internal.journals()")} == set(JOURNALS)
    for journal in JOURNALS:
        assert ask(columns.format(f"leadline.{journal}")) == entry, journal


def test_everything_in_sight_is_explained(ask: Any) -> None:
    """`\\d+` is documentation: tables, views and the functions people call have a comment."""
    assert (
        ask(
            """select c.relname from pg_class c where c.relkind in ('r', 'v') and c.relnamespace = 'leadline'::regnamespace
           and obj_description(c.oid, 'pg_class') is null
           union all
           select p.proname from pg_proc p where p.pronamespace = 'leadline'::regnamespace
           and p.prorettype <> 'trigger'::regtype and obj_description(p.oid, 'pg_proc') is null"""
        )
        == []
    )


def test_what_a_runtime_role_may_call_fixes_its_search_path_or_is_parsed_already(ask: Any) -> None:
    """plpgsql looks up a variable's type once a session, under the path of the function's first caller."""
    rows = ask(
        f"""select p.oid::regprocedure::text from pg_proc p where p.pronamespace in {OURS}
            and p.prosqlbody is null and not coalesce(p.proconfig @> '{{"search_path=pg_catalog, pg_temp"}}', false)
            and exists (select from unnest(array{RUNTIME_NAMES[:-1]}) r where has_function_privilege(r, p.oid, 'execute'))"""
    )
    assert rows == []
