-- The tables of the Fastify peer: the same rows, without rollups. They have the indexes that a competent team would create:
-- keys, and the columns that queries filter or order by.
create schema peer;

create table peer.transacoes (like public.transacoes);
insert into peer.transacoes select * from public.transacoes;
alter table peer.transacoes add primary key (id), add unique (salon_id);
create index on peer.transacoes (data_hora, id);
create index on peer.transacoes (estabelecimento_id, data_hora);
create index on peer.transacoes (sent_to_erp);

create table peer.lancamentos (like public.lancamentos);
insert into peer.lancamentos select * from public.lancamentos;
alter table peer.lancamentos add primary key (id), add unique (salon_id);
create index on peer.lancamentos (synced_at);
create index on peer.lancamentos (estabelecimento_id, synced_at);
create index on peer.lancamentos (sent_to_salon);

create table peer.pagamentos_erp (like public.pagamentos_erp);
insert into peer.pagamentos_erp select * from public.pagamentos_erp;
alter table peer.pagamentos_erp add primary key (id), add unique (erp_id);
create index on peer.pagamentos_erp (data_vencimento);
create index on peer.pagamentos_erp (situacao);
create index on peer.pagamentos_erp (id_centro_custo);
create index on peer.pagamentos_erp (nome_conta_classificacao);

create table peer.vendas_produto (like public.vendas_produto);
insert into peer.vendas_produto select * from public.vendas_produto;
alter table peer.vendas_produto add primary key (id);
create index on peer.vendas_produto (data_hora, id);
create index on peer.vendas_produto (estabelecimento_id, data_hora);
create index on peer.vendas_produto (origem, data_hora);

create table peer.jobs_log (like public.jobs_log);
insert into peer.jobs_log select * from public.jobs_log;
alter table peer.jobs_log add primary key (id);
create index on peer.jobs_log (created_at, id);

create table peer.profissionais (like public.profissionais);
insert into peer.profissionais select * from public.profissionais;
alter table peer.profissionais add primary key (id);
create index on peer.profissionais (salon_id);

create table peer.estabelecimentos (like public.estabelecimentos);
insert into peer.estabelecimentos select * from public.estabelecimentos;
alter table peer.estabelecimentos add primary key (id);

create table peer.produtos (like public.produtos);
insert into peer.produtos select * from public.produtos;
alter table peer.produtos add primary key (id);
create index on peer.produtos (nome, estabelecimento_id, salon_id);

create table peer.taxas_cartao (like public.taxas_cartao);
insert into peer.taxas_cartao select * from public.taxas_cartao;
