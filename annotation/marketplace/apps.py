from django.apps import AppConfig


class MarketplaceConfig(AppConfig):
    name = "annotation.marketplace"
    label = "marketplace"
    verbose_name = "Marketplace"
