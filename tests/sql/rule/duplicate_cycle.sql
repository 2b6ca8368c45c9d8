-- Following duplicate_of always ends at an original.
select t.here();

-- test: refused when the original is a duplicate of this lead, however far along
select t.keep('a', t.lead('new')), t.keep('b', t.lead('new')), t.keep('c', t.lead('new'));
select is(t.verdict(t.kept('b'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('a'))), 'applied', 'b is a');
select is(t.verdict(t.kept('c'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('b'))), 'applied', 'c is b');
select is(t.verdict(t.kept('a'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('b'))), 'refused duplicate_cycle', 'a is not b');
select is(t.verdict(t.kept('a'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('c'))), 'refused duplicate_cycle', 'nor c');
select is(t.stage(t.kept('a')), 'new', 'the original stays open');

-- test: allowed is a chain that ends
select t.keep('a', t.lead('new')), t.keep('b', t.lead('new')), t.keep('c', t.lead('new'));
select t.report(t.kept('c'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('b')));
select is(t.verdict(t.kept('b'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('a'))), 'applied', 'c is b is a');

-- test: said
select t.keep('a', t.lead('new')), t.keep('b', t.lead('new'));
select t.report(t.kept('b'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('a')));
select t.speaks(l.sentence, l.hint) from leadline.log_activity(t.kept('a'), 'duplicate', jsonb_build_object('duplicate_of', t.kept('b'))) l;
