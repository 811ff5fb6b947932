"""The public addresses that notifications name."""

from django.urls import path

from annotation.marketplace.notifications import views

app_name = "sns"
urlpatterns = [
    path("certificate-<slug:fingerprint>.pem", views.certificate, name="certificate"),
    path("confirm/", views.confirm, name="confirm"),
    path("close/", views.close, name="close"),
    path("mail/confirm/<str:secret>/", views.confirm_mail, name="confirm-mail"),
    path("mail/close/<str:secret>/", views.close_mail, name="close-mail"),
]
